// Works on jobs of the type receipt.
import { ApiError, Worker, type Job } from '../src/index.js'; // 'couch-jobs' in a package of yours

const server = process.env['COUCH_JOBS_URL'] ?? 'http://127.0.0.1:7470';
const token = process.env['COUCH_JOBS_TOKEN'];

async function archive(job: Job<{ mail: string }>): Promise<string> {
  await job.log(`The mail ${job.data.mail} is archived.`);
  return 'archived'; // the result
}

const worker = new Worker(server, { name: 'typescript', token }).handle('receipt', archive);
try {
  await worker.run(); // until SIGTERM or Ctrl-C
} catch (error) {
  if (!(error instanceof ApiError)) {
    throw error;
  }
  console.error(`${server} refuses the worker, whose token is in COUCH_JOBS_TOKEN: ${error.message}`);
  process.exitCode = 1;
}
