package dev.couchjobs.bench.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler, configured for high throughput as its documentation advises: it locks jobs when it fetches them, keeps
 * its threads busy, and polls at once after it has added a job itself.
 */
final class DbSchedulerSystem implements JobSystem {
    private static final int THREADS = 20;
    private static final double LOWER_LIMIT = 4.0;
    private static final double UPPER_LIMIT = 20.0;
    private static final int CONNECTIONS = 20;
    private static final long POLL_MILLIS = 100;

    static final String SETTINGS = "pollUsingLockAndFetch(" + LOWER_LIMIT + ", " + UPPER_LIMIT + "), " + THREADS
            + " threads, polling interval " + POLL_MILLIS + " ms, immediate execution, scheduleBatch, "
            + CONNECTIONS + " connections for each instance";

    /** The table and the indexes from its README, without those for priorities, which the benchmarks do not use. */
    private static final List<String> TABLE = List.of(
            "create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea,"
                    + " execution_time timestamp with time zone not null, picked boolean not null, picked_by text,"
                    + " last_success timestamp with time zone, last_failure timestamp with time zone,"
                    + " consecutive_failures int, last_heartbeat timestamp with time zone, version bigint not null,"
                    + " priority smallint, primary key (task_name, task_instance))",
            "create index execution_time_idx on scheduled_tasks (execution_time)",
            "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");

    private final PostgresServer server;
    private final Load load;
    private final String[] payloads;
    private final List<TaskDescriptor<String>> types;
    private final String database;
    private final HikariDataSource own;
    private final PeerQueries queries;
    private final AtomicInteger instances = new AtomicInteger();

    DbSchedulerSystem(PostgresServer server, Load load) {
        this.server = server;
        this.load = load;
        payloads = load.payloads();
        types = IntStream.range(0, load.types())
                .mapToObj(type -> TaskDescriptor.of("bench-" + type, String.class))
                .toList();
        database = server.createDatabase();
        own = server.pool(database, 1);
        queries = new PeerQueries(own);
        TABLE.forEach(queries::execute);
    }

    @Override
    public Instance join() {
        return new Member(
                "instance-" + instances.incrementAndGet(), server.pool(database, load.connections(CONNECTIONS)));
    }

    /** db-scheduler deletes jobs that have ended. */
    @Override
    public boolean areFinished(List<Integer> numbers) {
        String[] names =
                numbers.stream().map(number -> type(number).getTaskName()).toArray(String[]::new);
        String[] ids = numbers.stream().map(DbSchedulerSystem::id).toArray(String[]::new);
        return queries.count(
                        "select count(*) from scheduled_tasks natural join"
                                + " unnest(?::text[], ?::text[]) as asked (task_name, task_instance)",
                        names,
                        ids)
                == 0;
    }

    @Override
    public long unfinished() {
        return queries.count("select count(*) from scheduled_tasks");
    }

    @Override
    public void settle() {
        queries.execute("vacuum analyze scheduled_tasks");
    }

    @Override
    public void close() {
        own.close();
        server.dropDatabase(database);
    }

    private TaskDescriptor<String> type(int number) {
        return types.get(load.type(number));
    }

    private TaskInstance<String> task(int number) {
        return type(number)
                .instance(id(number))
                .data(payloads[number % payloads.length])
                .build();
    }

    private static String id(int number) {
        return Integer.toString(number);
    }

    /** The cheapest serializer for text. */
    private static final class Text implements Serializer {
        @Override
        public byte[] serialize(Object data) {
            return ((String) data).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] data) {
            return type.cast(new String(data, StandardCharsets.UTF_8));
        }
    }

    private final class Member implements Instance {
        private final String name;
        private final HikariDataSource connections;
        private volatile SchedulerClient client;
        private @Nullable Scheduler scheduler;

        Member(String name, HikariDataSource connections) {
            this.name = name;
            this.connections = connections;
            client = SchedulerClient.Builder.create(connections, tasks(number -> {}))
                    .serializer(new Text())
                    .build();
        }

        @Override
        public void add(int number) {
            client.scheduleIfNotExists(task(number), Instant.now());
        }

        @Override
        public void addAll(int first, int count) {
            List<TaskInstance<?>> tasks = new ArrayList<>();
            for (int number = first; number < first + count; number++) {
                tasks.add(task(number));
            }
            client.scheduleBatch(tasks, Instant.now());
        }

        @Override
        public void work(IntConsumer handler) {
            Scheduler newScheduler = Scheduler.create(connections, tasks(handler))
                    .serializer(new Text())
                    .schedulerName(new SchedulerName.Fixed(name))
                    .threads(THREADS)
                    .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                    .pollingInterval(Duration.ofMillis(POLL_MILLIS))
                    .enableImmediateExecution()
                    .build();
            newScheduler.start();
            client = newScheduler;
            scheduler = newScheduler;
        }

        @Override
        public void close() {
            if (scheduler != null) {
                scheduler.stop();
            }
            connections.close();
        }

        private List<Task<?>> tasks(IntConsumer handler) {
            return types.stream()
                    .<Task<?>>map(type -> Tasks.oneTime(type)
                            .execute((job, context) -> handler.accept(Integer.parseInt(job.getId()))))
                    .toList();
        }
    }
}
