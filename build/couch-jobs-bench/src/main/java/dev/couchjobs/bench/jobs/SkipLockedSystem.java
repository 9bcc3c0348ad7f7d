package dev.couchjobs.bench.jobs;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;

/**
 * A minimal queue in PostgreSQL: a transaction deletes up to a hundred jobs that no other transaction has locked, runs
 * them and commits. It has no leases, attempts, results or states; if a process dies, its jobs are pending again at
 * once. A producer sends a NOTIFY after the commit that adds jobs, and at most one at a time, since commits that notify
 * wait for each other.
 */
final class SkipLockedSystem implements JobSystem {
    private static final int AT_ONCE = 100;
    private static final int THREADS = 4;
    private static final int CONNECTIONS = 20;
    private static final int POLL_MILLIS = 1_000;
    /** The interval at which a listener checks whether it is closed. */
    private static final int LISTEN_MILLIS = 100;

    static final String SETTINGS = THREADS + " threads of " + AT_ONCE
            + " jobs a transaction, LISTEN, polling interval " + POLL_MILLIS + " ms, " + CONNECTIONS
            + " connections for each instance";

    private static final String TAKE =
            "delete from queue where id = any (array(select id from queue where type = any(?)" + " order by id limit "
                    + AT_ONCE + " for update skip locked)) returning id, payload";

    private final PostgresServer server;
    private final Load load;
    private final String[] payloads;
    private final Integer[] types;
    private final String database;
    private final HikariDataSource own;
    private final PeerQueries queries;

    SkipLockedSystem(PostgresServer server, Load load) {
        this.server = server;
        this.load = load;
        payloads = load.payloads();
        types = IntStream.range(0, load.types()).boxed().toArray(Integer[]::new);
        database = server.createDatabase();
        own = server.pool(database, 1);
        queries = new PeerQueries(own);
        queries.execute("create table queue (id bigint primary key, type int not null, payload text not null)");
    }

    @Override
    public Instance join() {
        return new Member(server.pool(database, load.connections(CONNECTIONS)));
    }

    @Override
    public boolean areFinished(List<Integer> numbers) {
        return queries.count("select count(*) from queue where id = any(?)", (Object) numbers.toArray(Integer[]::new))
                == 0;
    }

    @Override
    public long unfinished() {
        return queries.count("select count(*) from queue");
    }

    @Override
    public void settle() {
        queries.execute("vacuum analyze queue");
    }

    @Override
    public void close() {
        own.close();
        server.dropDatabase(database);
    }

    private final class Member implements Instance {
        private final HikariDataSource connections;
        private final PeerQueries commands;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final AtomicBoolean isNotifyPending = new AtomicBoolean();
        /** Its phase is the number of notifications received. */
        private final Phaser notifications = new Phaser(1);

        private volatile boolean isClosed;

        Member(HikariDataSource connections) {
            this.connections = connections;
            commands = new PeerQueries(connections);
        }

        @Override
        public void add(int number) {
            addAll(number, 1);
        }

        @Override
        public void addAll(int first, int count) {
            try (Connection connection = connections.getConnection();
                    PreparedStatement insert = connection.prepareStatement("insert into queue values (?, ?, ?)")) {
                connection.setAutoCommit(false);
                for (int number = first; number < first + count; number++) {
                    insert.setLong(1, number);
                    insert.setInt(2, load.type(number));
                    insert.setString(3, payloads[number % payloads.length]);
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            if (isNotifyPending.compareAndSet(false, true)) {
                threads.execute(() -> {
                    isNotifyPending.set(false);
                    commands.execute("notify queue");
                });
            }
        }

        @Override
        public void work(IntConsumer handler) {
            threads.execute(this::listen);
            for (int thread = 0; thread < Math.min(THREADS, load.connections(CONNECTIONS) - 1); thread++) {
                threads.execute(() -> take(handler));
            }
        }

        private void listen() {
            try (Connection connection = connections.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("listen queue");
                PGConnection listening = connection.unwrap(PGConnection.class);
                while (!isClosed) {
                    if (listening.getNotifications(LISTEN_MILLIS).length > 0) {
                        notifications.arrive();
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Waits for a notification after the phase {@code seen}, at most for the polling interval. */
        private void await(int seen) throws InterruptedException {
            try {
                notifications.awaitAdvanceInterruptibly(seen, POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                return; // polls again
            }
        }

        private void take(IntConsumer handler) {
            try (Connection connection = connections.getConnection();
                    PreparedStatement take = connection.prepareStatement(TAKE)) {
                connection.setAutoCommit(false);
                take.setArray(1, connection.createArrayOf("int", types));
                while (!isClosed) {
                    int seen = notifications.getPhase();
                    List<Integer> numbers = new ArrayList<>();
                    try (ResultSet rows = take.executeQuery()) {
                        while (rows.next()) {
                            numbers.add(rows.getInt(1));
                        }
                    }
                    numbers.forEach(handler::accept);
                    connection.commit();
                    if (numbers.isEmpty()) {
                        await(seen);
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            isClosed = true;
            notifications.arrive();
            threads.shutdown();
            try {
                if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                    throw new IllegalStateException("The queue's threads do not end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            connections.close();
        }
    }
}
