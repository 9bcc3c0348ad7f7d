// Works on jobs of the type receipt.
import { Worker, type Job } from '../src/index.js'; // 'couch-jobs' in a package of yours

const server = process.env['COUCH_JOBS_URL'] ?? 'http://127.0.0.1:7470';

async function archive(job: Job<{ mail: string }>): Promise<string> {
  await job.log(`The mail ${job.data.mail} is archived.`);
  return 'archived'; // the result
}

await new Worker(server, { name: 'typescript' }).handle('receipt', archive).run(); // until SIGTERM or Ctrl-C
