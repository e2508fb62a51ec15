"""OpenID Connect providers, by which IAM trusts tokens of service accounts. ``Ref`` is the ARN.

Without a thumbprint, IAM fetches that of the issuer's certificate; here no issuer is called, and
the list stays empty (IAM API, CreateOpenIDConnectProvider).
"""

from __future__ import annotations

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import changed, retag


class OidcProvider(Handler):
    type_name = "AWS::IAM::OIDCProvider"

    def create(self, ctx: Context, properties: Properties) -> Created:
        arn = ctx.client("iam").create_open_id_connect_provider(
            Url=properties["Url"],
            ClientIDList=properties.get("ClientIdList", []),
            ThumbprintList=properties.get("ThumbprintList", []),
            **ctx.tagging(properties),
        )["OpenIDConnectProviderArn"]
        ctx.identify(arn)
        return Created(arn, {"Arn": arn})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        iam = ctx.client("iam")
        before, after = set(old.get("ClientIdList", [])), set(new.get("ClientIdList", []))
        for client in sorted(before - after):
            iam.remove_client_id_from_open_id_connect_provider(
                OpenIDConnectProviderArn=physical_id, ClientID=client
            )
        for client in sorted(after - before):
            iam.add_client_id_to_open_id_connect_provider(
                OpenIDConnectProviderArn=physical_id, ClientID=client
            )
        if changed(old, new, "ThumbprintList"):
            iam.update_open_id_connect_provider_thumbprint(
                OpenIDConnectProviderArn=physical_id,
                ThumbprintList=new.get("ThumbprintList", []),
            )
        retag(
            ctx,
            "iam",
            old,
            new,
            calls=("tag_open_id_connect_provider", "untag_open_id_connect_provider"),
            OpenIDConnectProviderArn=physical_id,
        )
        return Created(physical_id, {"Arn": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        iam = ctx.client("iam")
        iam.get_open_id_connect_provider(OpenIDConnectProviderArn=physical_id)
        iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = ctx.client("iam").get_open_id_connect_provider(
            OpenIDConnectProviderArn=physical_id
        )
        return {
            "Url": f"https://{found['Url']}",
            "ClientIdList": found["ClientIDList"],
            "ThumbprintList": found["ThumbprintList"],
        }
