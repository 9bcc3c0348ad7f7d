export { Client, type ClientOptions, type JobView, type NewJob } from './client.js';
export { ApiError, ConnectionLost, JobFailed, LeaseLost, NotJson, PermanentFailure, ResultTimeout } from './errors.js';
export type { Halt, Problem } from './errors.js';
export { ExactNumber } from './json.js';
export { Group, Topic, type Message, type NewMessage, type Page } from './topics.js';
export { Job, Worker, type Handler, type Report, type RetryPolicy, type WorkerOptions } from './worker.js';
