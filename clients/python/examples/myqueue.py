"""A queue of messages with producers and consumers, on topics: each consumer reads all messages of its topics."""

import asyncio
import os
import uuid

from couch_jobs import Client


class MyQueue:
    def __init__(self, client):
        self._client = client

    async def create_topic(self, name, partitions=1):
        await self._client.topic(name).put(partitions)

    async def get_all_topics(self):
        return await self._client.topics()

    def create_producer(self, topics):
        return Producer(self._client, topics)

    def create_consumer(self, topics):
        return Consumer(self._client, topics)


class Producer:
    def __init__(self, client, topics):
        self._client = client
        self._topics = {}
        for topic in topics:
            self.register_topic(topic)

    def register_topic(self, name):
        self._topics[name] = self._client.topic(name)

    async def enqueue(self, message, topic):
        await self._topics[topic].append(message)


class Consumer:
    def __init__(self, client, topics):
        self._client = client
        self._id = str(uuid.uuid4())
        self._groups = {}
        for topic in topics:
            self.register_topic(topic)

    def register_topic(self, name):
        self._groups[name] = self._client.topic(name).group(self._id)

    async def dequeue(self, topic):
        messages = await self._groups[topic].poll(limit=1)
        return messages[0]["value"] if messages else None

    async def get_size(self, topic):
        await self._groups[topic].create()
        return await self._groups[topic].lag()


async def main():
    server, token = os.environ.get("COUCH_JOBS_URL", "http://127.0.0.1:7470"), os.environ.get("COUCH_JOBS_TOKEN")
    async with Client(server, token=token) as client:
        queue = MyQueue(client)
        await queue.create_topic("log")
        producer, first, second = queue.create_producer(["log"]), queue.create_consumer(["log"]), queue.create_consumer(["log"])
        for line in ("INFO started", "WARN slow"):
            await producer.enqueue(line, "log")
        print(await queue.get_all_topics(), await first.get_size("log"))
        print(await first.dequeue("log"), "|", await first.dequeue("log"), "|", await first.dequeue("log"))
        print(await second.dequeue("log"), "|", await second.get_size("log"))


asyncio.run(main())
