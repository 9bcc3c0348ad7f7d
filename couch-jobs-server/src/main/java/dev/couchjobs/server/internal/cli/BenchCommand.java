package dev.couchjobs.server.internal.cli;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.Worker;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Measures a database with jobs of a type of its own, which it removes afterwards. */
@Command(
        name = "bench",
        description = "Adds jobs over HTTP; with --directory or --cluster-file"
                + " a worker claims and finishes them. Prints jobs a second, p50 and p99, and removes the jobs.")
final class BenchCommand extends ApiCommand {
    private static final Duration LOOK = Duration.ofMillis(50);

    @Option(names = "--jobs", paramLabel = "N", description = "How many jobs. Default: 2000")
    private int jobs = 2000;

    @Option(names = "--connections", paramLabel = "N", description = "How many requests at once. Default: 16")
    private int connections = 16;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many jobs the worker runs at once. Default: 16")
    private int concurrency = 16;

    private final String type = "couch-jobs-bench-" + UUID.randomUUID();
    private final Map<String, Long> startedAt = new ConcurrentHashMap<>();
    private final Map<String, Long> took = new ConcurrentHashMap<>();
    private CountDownLatch ended = new CountDownLatch(0);

    @Override
    boolean makesDirectory() {
        return true;
    }

    /** Measures from the begin of a handler, which does nothing, to the commit of the job's end. */
    @Override
    JobsListener listener() {
        return new JobsListener() {
            @Override
            public void started(Started event) {
                if (event.type().equals(type)) {
                    startedAt.put(event.jobId(), System.nanoTime());
                }
            }

            @Override
            public void ended(Ended event) {
                Long start = startedAt.get(event.jobId());
                if (start != null && event.how() == AttemptEnd.SUCCEEDED) {
                    took.put(event.jobId(), System.nanoTime() - start);
                    ended.countDown();
                }
            }
        };
    }

    @Override
    int run(Session session) {
        if (jobs < 1 || connections < 1 || connections > 1000 || concurrency < 1) {
            throw new Failure(
                    Failure.USAGE, "The numbers are 1 or more, and 1000 connections at most.", "Change them.");
        }
        List<String> ids = new ArrayList<>();
        List<JsonNode> rows = new ArrayList<>();
        try {
            rows.add(row("add, a request each", each(session, jobs, number -> {
                JsonNode body = new Fields().put("data", number).node();
                String id = session.api()
                        .post(Address.of("/v1/types/{}/jobs", type), body)
                        .json()
                        .path("id")
                        .asString();
                synchronized (ids) {
                    ids.add(id);
                }
            })));
            if (session.local().isPresent() && !session.stop().isRequested()) {
                rows.add(row(
                        "claim and finish, a worker in process",
                        work(session, session.local().get(), ids.size())));
            } else {
                session.output().note("Claims are measured with --directory and --cluster-file.");
            }
        } finally {
            rows.add(row("remove, a request each", remove(session, List.copyOf(ids))));
        }
        if (session.output().isJson()) {
            session.output()
                    .json(new Fields().putAll("items", rows, row -> row).node().toString());
        } else {
            session.output().table(List.of("step", "jobs", "perSecond", "p50Millis", "p99Millis"), rows);
        }
        return session.stop().isRequested() ? Failure.FAILED : DONE;
    }

    /** What one step took. */
    private record Measure(long nanos, List<Long> each) {}

    private interface Step {
        void run(int number);
    }

    private Measure each(Session session, int count, Step step) {
        return threads(session, count, step, false);
    }

    /** Removes all, also after a signal: nothing stays half done. */
    private Measure remove(Session session, List<String> ids) {
        return threads(
                session,
                ids.size(),
                number -> session.api().delete(Address.of("/v1/types/{}/jobs/{}", type, ids.get(number))),
                true);
    }

    private Measure threads(Session session, int count, Step step, boolean isCleanup) {
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        long start = System.nanoTime();
        List<Future<List<Long>>> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(threads.submit(() -> {
                List<Long> times = new ArrayList<>();
                for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                    if (!isCleanup && session.stop().isRequested()) {
                        break;
                    }
                    long before = System.nanoTime();
                    step.run(number);
                    times.add(System.nanoTime() - before);
                }
                return times;
            }));
        }
        try {
            List<Long> times = new ArrayList<>();
            for (Future<List<Long>> one : all) {
                times.addAll(one.get());
            }
            return new Measure(System.nanoTime() - start, times);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(Failure.FAILED, "Interrupted.", "Jobs of the type " + type + " may be left.");
        } finally {
            threads.shutdown();
        }
    }

    private Measure work(Session session, LocalServer local, int count) {
        ended = new CountDownLatch(count);
        long start = System.nanoTime();
        Worker worker = local.jobs()
                .worker()
                .handle(JobType.of(type, Object.class, Object.class), job -> true)
                .concurrency(concurrency)
                .start();
        try {
            while (!ended.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
                if (session.stop().isRequested()) {
                    break;
                }
            }
            return new Measure(System.nanoTime() - start, List.copyOf(took.values()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(Failure.FAILED, "Interrupted.", "Jobs of the type " + type + " may be left.");
        } finally {
            worker.close();
        }
    }

    private static JsonNode row(String step, Measure measure) {
        List<Long> sorted = measure.each().stream().sorted().toList();
        return new Fields()
                .put("step", step)
                .put("jobs", sorted.size())
                .put("perSecond", Math.round(sorted.size() / (measure.nanos() / 1e9)))
                .put("p50Millis", millis(sorted, 0.50))
                .put("p99Millis", millis(sorted, 0.99))
                .node();
    }

    private static double millis(List<Long> sorted, double share) {
        if (sorted.isEmpty()) {
            return 0;
        }
        long nanos = sorted.get(Math.min(sorted.size() - 1, (int) (sorted.size() * share)));
        return Math.round(nanos / 1e4) / 100.0;
    }
}
