import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Runs a test with an HTTP server that answers as the test says. */
export async function withAnswers(answer: RequestListener, run: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
