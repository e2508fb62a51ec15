import boto3

from moto import mock_aws


@mock_aws
def test_created_vector_bucket_and_index() -> None:
    client = boto3.client("s3vectors", region_name="us-east-1")
    bucket = client.create_vector_bucket(vectorBucketName="vectors")
    assert bucket["vectorBucketArn"].endswith(":bucket/vectors")
    index = client.create_index(
        vectorBucketName="vectors",
        indexName="index",
        dataType="float32",
        dimension=2,
        distanceMetric="cosine",
    )
    assert index["indexArn"] == f"{bucket['vectorBucketArn']}/index/index"

    buckets = client.list_vector_buckets()["vectorBuckets"]
    assert buckets[0]["creationTime"]
    indexes = client.list_indexes(vectorBucketName="vectors")["indexes"]
    assert indexes[0]["creationTime"]
