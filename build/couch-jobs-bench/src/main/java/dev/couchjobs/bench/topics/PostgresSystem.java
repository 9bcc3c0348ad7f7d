package dev.couchjobs.bench.topics;

import com.zaxxer.hikari.HikariDataSource;
import dev.couchjobs.bench.jobs.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.postgresql.PGConnection;

/**
 * A table of messages in PostgreSQL. Consumers of a group delete the messages that no other has locked; a consumer that
 * catches up reads by number, and commits the number. A NOTIFY follows appends while there are consumers, at most one
 * at a time, since commits that notify wait for each other.
 */
final class PostgresSystem implements LogSystem {
    private static final int APPENDING = 64;
    private static final int CONNECTIONS = 160;
    private static final int LISTEN_MILLIS = 100;

    private static final String TAKE = "delete from %1$s where id = any (array(select id from %1$s order by id limit ?"
            + " for update skip locked)) returning value";
    private static final String READ = "select id, value from %s where id > ? order by id limit ?";

    private final PostgresServer server;
    private final String database;
    private final HikariDataSource connections;
    private final ExecutorService appending = Executors.newFixedThreadPool(APPENDING);
    private final AtomicInteger created = new AtomicInteger();

    PostgresSystem(PostgresServer server) {
        this.server = server;
        database = server.createDatabase();
        connections = server.pool(database, CONNECTIONS);
    }

    @Override
    public String settings() {
        return "PostgreSQL " + server.version() + ", " + PostgresServer.settings() + "; " + APPENDING
                + " connections append, LISTEN";
    }

    @Override
    public MessageLog create(int partitions) {
        String table = "log" + created.incrementAndGet();
        execute("create table " + table + " (id bigserial primary key, value bytea not null)");
        execute("create table " + table + "_offsets (reader text primary key, id bigint not null)");
        return new TableLog(table);
    }

    private void execute(String sql) {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {
        appending.shutdown();
        connections.close();
        server.dropDatabase(database);
        server.close();
    }

    private final class TableLog implements MessageLog {
        private final String table;
        private final AtomicInteger listening = new AtomicInteger();
        private final AtomicBoolean isNotifyPending = new AtomicBoolean();

        TableLog(String table) {
            this.table = table;
        }

        @Override
        public CompletableFuture<?> append(List<byte[]> messages) {
            CompletableFuture<Void> appended = new CompletableFuture<>();
            appending.execute(() -> {
                try {
                    insert(messages);
                    appended.complete(null);
                } catch (SQLException e) {
                    appended.completeExceptionally(e);
                }
                if (listening.get() > 0 && isNotifyPending.compareAndSet(false, true)) {
                    appending.execute(() -> {
                        isNotifyPending.set(false);
                        execute("notify " + table);
                    });
                }
            });
            return appended;
        }

        @Override
        public void appendAndWait(List<byte[]> messages) throws SQLException {
            insert(messages);
        }

        private void insert(List<byte[]> messages) throws SQLException {
            try (Connection connection = connections.getConnection();
                    PreparedStatement insert =
                            connection.prepareStatement("insert into " + table + " (value) values (?)")) {
                if (messages.size() == 1) {
                    insert.setBytes(1, messages.get(0));
                    insert.executeUpdate();
                    return;
                }
                connection.setAutoCommit(false);
                for (byte[] message : messages) {
                    insert.setBytes(1, message);
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            }
        }

        @Override
        public AutoCloseable consume(int consumers, int batch, Consumer<byte[]> handler) throws SQLException {
            execute("vacuum analyze " + table);
            listening.addAndGet(consumers);
            List<Connection> own = new ArrayList<>();
            ConsumerThreads threads = new ConsumerThreads();
            for (int i = 0; i < consumers; i++) {
                Connection connection = connections.getConnection();
                connection.setAutoCommit(false);
                own.add(connection);
                listen(connection);
                PreparedStatement take = connection.prepareStatement(TAKE.formatted(table));
                take.setInt(1, batch);
                threads.start(() -> {
                    int taken = 0;
                    try (ResultSet rows = take.executeQuery()) {
                        for (; rows.next(); taken++) {
                            handler.accept(rows.getBytes(1));
                        }
                    }
                    connection.commit();
                    awaitIf(taken == 0, connection);
                });
            }
            return stop(threads, own);
        }

        private void listen(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("listen " + table);
            }
            connection.commit();
        }

        private void awaitIf(boolean isEmpty, Connection connection) throws SQLException {
            if (isEmpty) {
                var unused = connection.unwrap(PGConnection.class).getNotifications(LISTEN_MILLIS);
            }
        }

        private AutoCloseable stop(ConsumerThreads threads, List<Connection> own) {
            return () -> {
                threads.close();
                listening.addAndGet(-own.size());
                for (Connection connection : own) {
                    connection.rollback();
                    connection.setAutoCommit(true);
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("unlisten *");
                    }
                    connection.close();
                }
            };
        }

        @Override
        public AutoCloseable catchUp(Consumer<byte[]> handler) throws SQLException {
            execute("vacuum analyze " + table);
            execute("insert into " + table + "_offsets values ('reader', 0) on conflict (reader) do update set id = 0");
            Connection connection = connections.getConnection();
            connection.setAutoCommit(false);
            PreparedStatement read = connection.prepareStatement(READ.formatted(table));
            PreparedStatement move = connection.prepareStatement("update " + table + "_offsets set id = ?");
            AtomicLong last = new AtomicLong();
            ConsumerThreads threads = new ConsumerThreads();
            threads.start(() -> {
                read.setLong(1, last.get());
                read.setInt(2, CATCH_UP_BATCH);
                long before = last.get();
                try (ResultSet rows = read.executeQuery()) {
                    while (rows.next()) {
                        last.set(rows.getLong(1));
                        handler.accept(rows.getBytes(2));
                    }
                }
                if (last.get() > before) {
                    move.setLong(1, last.get());
                    move.executeUpdate();
                }
                connection.commit();
            });
            return stop(threads, List.of(connection));
        }

        @Override
        public void close() {
            execute("drop table " + table + ", " + table + "_offsets");
        }
    }
}
