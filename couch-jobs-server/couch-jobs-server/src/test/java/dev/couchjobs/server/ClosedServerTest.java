package dev.couchjobs.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.testing.Application;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a server is closed, or the server of an application that has mounted the servlet, nothing of it is left. */
class ClosedServerTest {
    /** With all classes anew, a second time shows the same. */
    private static final int TIMES = Boolean.getBoolean("long") ? 2 : 1;

    @ParameterizedTest
    @ValueSource(classes = {OwnServer.class, NotStarted.class, Mounted.class})
    @Tag("long")
    void anApplicationWithTheServerLeavesNothing(Class<?> application, @TempDir Path directory) {
        for (int i = 0; i < TIMES; i++) {
            Application.withAllClasses(application).assertLeavesNothing(directory);
        }
    }

    /** The static state of the server holds nothing of the application. */
    @ParameterizedTest
    @ValueSource(classes = {OwnServer.class, NotStarted.class, Mounted.class})
    void anApplicationBesideTheServerLeavesNothing(Class<?> application, @TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(application).assertLeavesNothing(directory);
        }
    }

    /** Sooner than anything waits for a database that is slow. */
    @Test
    @Timeout(30)
    void aServerThatIsClosedAfterItsDatabaseEndsAtOnce(@TempDir Path directory) {
        Application.withOwnClasses(DatabaseFirst.class).assertLeavesNothing(directory);
    }

    public record Letter(String to) {}

    public record Receipt(String from) {}

    private static final JobType<Letter, Receipt> MAIL = JobType.of("mail", Letter.class, Receipt.class);

    /** Knows callers by a header, and is asked again as long as they wait. */
    public static class Doorman implements Authenticator {
        @Override
        public CompletableFuture<Optional<Access>> authenticate(HttpServletRequest request) {
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(request.getHeader("Name")).map(name -> Access.of(name, Role.ADMIN)));
        }
    }

    /** The server of the library. */
    public static class OwnServer implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database);
                    Worker worker = work(jobs);
                    Callers callers = new Callers();
                    JobsServer server = JobsServer.start(api(jobs, database), "127.0.0.1", 0)) {
                callers.call(server.address());
                assertThat(worker.stuckSlots()).isZero();
            }
        }
    }

    /** Calls wait when the database is closed. */
    public static class DatabaseFirst implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database);
                    Worker worker = work(jobs);
                    Callers callers = new Callers();
                    JobsServer server = JobsServer.start(api(jobs, database), "127.0.0.1", 0)) {
                callers.call(server.address());
                closeNow(database);
                assertThat(worker.stuckSlots()).isZero();
            }
        }

        private static void closeNow(Database database) {
            database.close();
        }
    }

    /** A server that cannot listen. */
    public static class NotStarted implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database);
                    ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                assertThatThrownBy(() -> JobsServer.start(api(jobs, database), "127.0.0.1", taken.getLocalPort()))
                        .isInstanceOf(IllegalStateException.class);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A server of the application's, with the servlet. */
    public static class Mounted implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database);
                    Worker worker = work(jobs);
                    Callers callers = new Callers()) {
                serve(jobs, database, callers);
                assertThat(worker.stuckSlots()).isZero();
            }
        }

        private static void serve(CouchJobs jobs, Database database, Callers callers) {
            Server server = new Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler();
            ServletHolder servlet = new ServletHolder(api(jobs, database).servlet());
            servlet.setAsyncSupported(true);
            context.addServlet(servlet, "/*");
            server.setHandler(context);
            try {
                server.start();
                try {
                    callers.call(URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/"));
                } finally {
                    server.stop();
                }
            } catch (Exception e) { // Jetty declares no less
                throw new IllegalStateException(e);
            }
        }
    }

    private static JobsHttp api(CouchJobs jobs, Database database) {
        return JobsHttp.on(jobs, database)
                .authenticator(new Doorman())
                .hidePayloads(type -> type.equals("secret"))
                .rate(1_000, 1_000);
    }

    private static Worker work(CouchJobs jobs) {
        return jobs.worker().handle(MAIL, job -> new Receipt(job.data().to())).start();
    }

    /** Those that have called a server, and some that still wait when it ends. */
    private static final class Callers implements AutoCloseable {
        private final List<Socket> waiting = new ArrayList<>();

        void call(URI server) {
            assertThat(send(server, "GET", "/", "").reply()).contains("200");
            assertThat(send(server, "PUT", "/v1/topics/news", "{\"partitions\": 2}")
                            .reply())
                    .contains("200");
            assertThat(send(server, "POST", "/v1/types/mail/jobs", "{\"id\": \"a\", \"data\": {\"to\": \"ann\"}}")
                            .reply())
                    .contains("201");
            assertThat(send(server, "GET", "/v1/types/mail/jobs/a/result?timeout=PT60S", "")
                            .reply())
                    .contains("200");
            assertThat(send(server, "POST", "/v1/types/mail/selections", "{\"action\": \"count\", \"where\": {}}")
                            .reply())
                    .contains("202");
            assertThat(send(server, "GET", "/v1/latencies", "").reply()).contains("200");
            for (String feed : List.of("/v1/feed?feed=continuous", "/v1/types/mail/feed?feed=eventsource")) {
                assertThat(keep(send(server, "GET", feed, "")).reply()).contains("200");
            }
            keep(send(server, "GET", "/v1/topics/news/messages?wait=PT60S", ""));
            keep(send(
                    server,
                    "POST",
                    "/v1/work/claims",
                    "{\"requestId\": \"1\", \"max\": 1, \"wait\": \"PT50S\", \"worker\": {\"name\": \"remote\", \"id\": \""
                            + UUID.randomUUID() + "\", \"types\": [\"x\", \"y\"], \"concurrency\": 1}}"));
        }

        private record Sent(Socket socket) {
            /** {@return the first line of the reply} */
            String reply() {
                try {
                    return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        private Sent keep(Sent sent) {
            waiting.add(sent.socket());
            return sent;
        }

        private static Sent send(URI server, String method, String path, String body) {
            try {
                Socket socket = new Socket(server.getHost(), server.getPort());
                String head = method + " " + path + " HTTP/1.1\r\nHost: " + server.getAuthority()
                        + "\r\nName: ann\r\nContent-Type: application/json\r\nContent-Length: " + body.length();
                socket.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(UTF_8));
                return new Sent(socket);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            for (Socket socket : waiting) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
