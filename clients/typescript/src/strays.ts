import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** Receives what a program throws where nobody catches it. */
export type Receiver = (error: unknown) => void;

const receivers = new AsyncLocalStorage<Receiver>();
/** In these modes Node does not end a program because of a rejection. */
const MODES = /--unhandled-rejections[= ](warn|none)/;
let workers = 0;
let telling: Promise<void> | undefined;

/**
 * Calls code of a program. What its callbacks throw, and the rejections that it leaves unhandled, go to the receiver
 * while {@link watch} is in force.
 */
export function within<T>(receiver: Receiver, call: () => T): T {
  return receivers.run(receiver, call);
}

/** Calls code of a program whose failure changes no result: what it throws, now or later, is dropped. */
export function dropping(call: () => unknown): void {
  within(
    () => undefined,
    () => {
      try {
        Promise.resolve(call()).catch(() => undefined);
      } catch {
        // its failure changes no result
      }
    },
  );
}

/**
 * Starts to give strays to their receivers; Node's own rule stands for all others. Node does not tell where a callback of
 * `queueMicrotask` came from. Returns what ends it.
 */
export function watch(): () => void {
  if (workers++ === 0) {
    process.on('uncaughtException', onException).on('unhandledRejection', onRejection);
  }
  return () => {
    if (--workers === 0) {
      process.off('uncaughtException', onException).off('unhandledRejection', onRejection);
    }
  };
}

/** Waits until Node has told of the rejections so far. Those that wait together go on together. */
export function told(): Promise<void> {
  return (telling ??= turn().then(() => {
    telling = undefined;
  }));
}

function onException(error: unknown): void {
  const receiver = receivers.getStore();
  if (receiver !== undefined) {
    receiver(error);
  } else if (process.listenerCount('uncaughtException') === 1) {
    process.off('uncaughtException', onException); // without listeners Node ends the program
    raise(error);
  }
}

function onRejection(reason: unknown): void {
  const receiver = receivers.getStore();
  if (receiver !== undefined) {
    receiver(reason);
  } else if (process.listenerCount('unhandledRejection') === 1 && !MODES.test(options())) {
    raise(reason);
  }
}

function options(): string {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
}

function raise(error: unknown): void {
  receivers.exit(() =>
    process.nextTick(() => {
      throw error;
    }),
  );
}
