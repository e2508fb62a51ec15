import boto3

from moto import mock_aws


@mock_aws
def test_put_dashboard_with_tags() -> None:
    client = boto3.client("cloudwatch", region_name="us-east-1")
    tags = [{"Key": "team", "Value": "a"}]
    client.put_dashboard(DashboardName="d", DashboardBody="{}", Tags=tags)
    arn = client.get_dashboard(DashboardName="d")["DashboardArn"]
    assert client.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags

    # The tags of an existing dashboard remain
    client.put_dashboard(
        DashboardName="d", DashboardBody="{}", Tags=[{"Key": "team", "Value": "b"}]
    )
    assert client.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags

    client.delete_dashboards(DashboardNames=["d"])
    client.put_dashboard(DashboardName="d", DashboardBody="{}")
    assert client.list_tags_for_resource(ResourceARN=arn)["Tags"] == []


@mock_aws
def test_tag_and_untag_dashboard() -> None:
    client = boto3.client("cloudwatch", region_name="us-east-1")
    client.put_dashboard(DashboardName="d", DashboardBody="{}")
    arn = client.get_dashboard(DashboardName="d")["DashboardArn"]

    client.tag_resource(ResourceARN=arn, Tags=[{"Key": "team", "Value": "a"}])
    tags = client.list_tags_for_resource(ResourceARN=arn)["Tags"]
    assert tags == [{"Key": "team", "Value": "a"}]

    client.untag_resource(ResourceARN=arn, TagKeys=["team"])
    assert client.list_tags_for_resource(ResourceARN=arn)["Tags"] == []
