package dev.couchjobs.bench.jobs;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr, the free version. It polls whenever a worker has ended a job, and otherwise every five seconds, the shortest
 * interval that it allows.
 */
final class JobRunrSystem implements JobSystem {
    private static final int WORKERS = 100;
    private static final int CONNECTIONS = 30;
    private static final long POLL_MILLIS = 5_000;

    static final String SETTINGS = WORKERS + " workers, poll interval " + POLL_MILLIS
            + " ms (the least), job requests, bulk by a stream, " + CONNECTIONS + " connections for each instance";

    private final PostgresServer server;
    private final Load load;
    private final String[] payloads;
    private final String database;
    private final HikariDataSource own;
    private final PeerQueries queries;

    JobRunrSystem(PostgresServer server, Load load) {
        this.server = server;
        this.load = load;
        payloads = load.payloads();
        database = server.createDatabase();
        own = server.pool(database, 1);
        queries = new PeerQueries(own);
    }

    @Override
    public Instance join() {
        return new Member(server.pool(database, load.connections(CONNECTIONS)));
    }

    @Override
    public boolean areFinished(List<Integer> numbers) {
        String[] ids = numbers.stream().map(number -> id(number).toString()).toArray(String[]::new);
        return queries.count(
                        "select count(*) from jobrunr_jobs where id = any(?) and state = 'SUCCEEDED'", (Object) ids)
                == ids.length;
    }

    @Override
    public long unfinished() {
        return queries.count("select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'");
    }

    @Override
    public void settle() {
        queries.execute("vacuum analyze jobrunr_jobs");
    }

    @Override
    public void close() {
        own.close();
        server.dropDatabase(database);
    }

    /** JobRunr has no types with queues of their own. */
    private Work work(int number) {
        return new Work(number, payloads[number % payloads.length]);
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }

    /** A job. */
    public record Work(int number, String payload) implements JobRequest {
        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** The handler of a job. */
    public record Handler(IntConsumer handler) implements JobRequestHandler<Work> {
        @Override
        public void run(Work work) {
            handler.accept(work.number);
        }
    }

    private final class Member implements Instance {
        private final HikariDataSource connections;
        private final JsonMapper json = new Jackson3JsonMapper();
        private final StorageProvider storage;
        private final JobRequestScheduler scheduler;
        private @Nullable BackgroundJobServer server;

        Member(HikariDataSource connections) {
            this.connections = connections;
            storage = SqlStorageProviderFactory.using(connections);
            storage.setJobMapper(new JobMapper(json));
            scheduler = new JobRequestScheduler(storage);
        }

        @Override
        public void add(int number) {
            scheduler.enqueue(id(number), JobRunrSystem.this.work(number));
        }

        @Override
        public void addAll(int first, int count) {
            scheduler.create(IntStream.range(first, first + count)
                    .mapToObj(number ->
                            JobBuilder.aJob().withId(id(number)).withJobRequest(JobRunrSystem.this.work(number))));
        }

        @Override
        public void work(IntConsumer handler) {
            Handler runner = new Handler(handler);
            JobActivator activator = new JobActivator() {
                @Override
                public <T> T activateJob(Class<T> type) {
                    return type.cast(runner);
                }
            };
            BackgroundJobServer newServer = new BackgroundJobServer(
                    storage,
                    json,
                    activator,
                    BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                            .andWorkerCount(load.slots(WORKERS))
                            .andPollInterval(Duration.ofMillis(POLL_MILLIS)));
            newServer.start();
            server = newServer;
        }

        @Override
        public void close() {
            if (server != null) {
                server.stop();
            }
            storage.close();
            connections.close();
        }
    }
}
