// Appends orders to a topic, and consumes them in a group: at least once, in the order of each customer.

import { Client } from '../src/index.js';

const token = process.env.COUCH_JOBS_TOKEN;
const client = new Client(process.env.COUCH_JOBS_URL ?? 'http://127.0.0.1:7470', token === undefined ? {} : { token });
const orders = client.topic('orders');
await orders.put({ partitions: 4 });
await orders.append({ value: { item: 'lamp' }, key: 'ada' }, { value: { item: 'chair' }, key: 'ada' });
const group = orders.group('packers');
await group.create();
for await (const batch of group.batches()) {
  for (const message of batch) {
    console.log(message.key, JSON.stringify(message.value));
  }
  if (batch.some((message) => JSON.stringify(message.value).includes('chair'))) {
    break; // the last batch is not consumed: another consumer gets it
  }
}
console.log('left', await group.lag());
