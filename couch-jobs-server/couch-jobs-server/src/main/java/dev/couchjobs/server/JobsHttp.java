package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.access.Everyone;
import dev.couchjobs.server.internal.dispatch.ApiServlet;
import dev.couchjobs.server.internal.dispatch.ApiSettings;
import dev.couchjobs.topics.Topics;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The API as a servlet, to be mounted in a server that a program has already:
 *
 * <pre>{@code
 * HttpServlet servlet = JobsHttp.on(jobs, database).servlet();   // everyone who reaches it may read, and nothing else
 * }</pre>
 *
 * <p>The servlet needs asynchronous processing ({@code asyncSupported}) and a mapping that ends in {@code /*}. Ids with
 * a slash in them need a container that leaves encoded slashes in a path alone, as {@link JobsServer} does. The
 * servlet does not close the instance. Immutable.
 */
public final class JobsHttp {
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs_server"));
    private static final Authenticator READ_ONLY = Authenticator.always(Access.of("anonymous", Role.READ));

    private final CouchJobs jobs;
    private final Database database;
    private final ApiSettings settings;

    private JobsHttp(CouchJobs jobs, Database database, ApiSettings settings) {
        this.jobs = jobs;
        this.database = database;
        this.settings = settings;
    }

    /**
     * {@return the API of an instance, read-only}
     *
     * @param jobs the instance
     * @param database its database
     */
    public static JobsHttp on(CouchJobs jobs, Database database) {
        return new JobsHttp(
                Objects.requireNonNull(jobs, "jobs"),
                Objects.requireNonNull(database, "database"),
                ApiSettings.standard(ROWS, READ_ONLY));
    }

    /**
     * Where the API keeps rows of its own: access tokens, and the replies to requests with a key of idempotency. By
     * default {@code ("couch_jobs_server")}.
     *
     * @param newRows a subspace that nothing else uses, the same for all servers of these jobs
     * @return the API with these rows
     */
    public JobsHttp subspace(Subspace newRows) {
        return with(settings.withRows(Objects.requireNonNull(newRows, "newRows")));
    }

    /**
     * Who may do what; by default every caller may read.
     *
     * @param newAuthenticator decides it for each request
     * @return the API with this authenticator
     */
    public JobsHttp authenticator(Authenticator newAuthenticator) {
        return with(settings.withAuthenticator(Optional.of(newAuthenticator)));
    }

    /**
     * Requires access tokens, in place of another authenticator. Callers with {@link Role#ADMIN} create and revoke them
     * by {@code /v1/tokens}; the first one is created by {@code couch-jobs token add}. A revoked token is
     * refused by this server at once, and by others within about two seconds.
     *
     * @return the API, for callers with a token
     */
    public JobsHttp tokens() {
        return with(settings.withAuthenticator(Optional.empty()));
    }

    /**
     * Hides what jobs of some types contain from callers that may read them, but have not {@link Role#OPERATE}: data,
     * results, logs, checkpoints, the text of the progress, and the messages of errors.
     *
     * @param types whether the payloads of a type, by its name, are hidden; must not block
     * @return the API that hides them
     */
    public JobsHttp hidePayloads(Predicate<String> types) {
        return with(settings.withHidden(Objects.requireNonNull(types, "types")));
    }

    /**
     * Limits how often each caller calls this server; beyond it the reply is 429. By default there is no limit.
     *
     * @param perSecond how many requests a second in the long run, at least 1
     * @param burst how many at once, at least 1
     * @return the API with this limit
     * @throws IllegalArgumentException if a number is too small
     */
    public JobsHttp rate(int perSecond, int burst) {
        return with(settings.withRate(new ApiSettings.CallRate(perSecond, burst)));
    }

    /**
     * Limits the bodies of requests; beyond it the reply is 413. By default 4 MiB.
     *
     * @param max how many bytes, at least 1
     * @return the API with this limit
     * @throws IllegalArgumentException if the number is too small
     */
    public JobsHttp bodyBytes(int max) {
        return with(settings.withBodyBytesMax(atLeastOne(max)));
    }

    /**
     * Limits how many callers follow feeds at once. By default 1,000.
     *
     * @param max how many, at least 1
     * @return the API with this limit
     * @throws IllegalArgumentException if the number is too small
     */
    public JobsHttp feedClients(int max) {
        return with(settings.withFeedClients(atLeastOne(max)));
    }

    /**
     * Whether each write is logged to the logger {@code couch-jobs.audit}, as a line of JSON at INFO. By default it is.
     *
     * @param isLogged whether it is
     * @return the API with or without that log
     */
    public JobsHttp audit(boolean isLogged) {
        return with(settings.withAudit(isLogged));
    }

    /**
     * Lets callers with {@link Role#ADMIN} write backups of the database, if {@code EmbeddedDatabase.open} has opened
     * it in a directory. By default there are none.
     *
     * @param directory where each backup is a directory; is made
     * @return the API with backups
     */
    public JobsHttp backups(Path directory) {
        return with(settings.withBackups(Objects.requireNonNull(directory, "directory")));
    }

    /**
     * The bridge to CouchDB whose nodes the API shows, by the prefix of its rows; by default {@code couch-jobs-bridge}.
     *
     * @param prefix the {@code engine.prefix} of the nodes
     * @return the API with this bridge
     */
    public JobsHttp bridge(String prefix) {
        return with(settings.withBridgePrefix(Objects.requireNonNull(prefix, "prefix")));
    }

    /**
     * The topics that the API shows; by default those at the root of the database.
     *
     * @param topics the topics, in the same database
     * @return the API with these topics
     */
    public JobsHttp topics(Topics topics) {
        return with(settings.withTopics(Objects.requireNonNull(topics, "topics")));
    }

    /** {@return whether callers have to say who they are} */
    boolean knowsCallers() {
        return settings.authenticator()
                .map(authenticator -> !(authenticator instanceof Everyone))
                .orElse(true);
    }

    private static int atLeastOne(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("A limit is at least 1, not " + max + ".");
        }
        return max;
    }

    private JobsHttp with(ApiSettings newSettings) {
        return new JobsHttp(jobs, database, newSettings);
    }

    /** {@return a new servlet} */
    public HttpServlet servlet() {
        return apiServlet();
    }

    ApiServlet apiServlet() {
        boolean mayWrite = !settings.authenticator().equals(Optional.of(READ_ONLY));
        return new ApiServlet(jobs, database, settings, mayWrite);
    }
}
