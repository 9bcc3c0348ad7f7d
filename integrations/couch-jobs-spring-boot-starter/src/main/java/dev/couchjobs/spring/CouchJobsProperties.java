package dev.couchjobs.spring;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties below {@code couch-jobs}.
 *
 * @param database where the jobs are: a directory, which is made if it is not there; a FoundationDB cluster, by its
 *     cluster file or a connection string; or {@code memory}. See {@link DatabaseLocation#of}
 * @param subspace the name under which jobs, topics and rows of the API are, so that applications share a cluster; by
 *     default that of the library
 * @param worker the worker of this application
 * @param transactions the transactions of {@link JobsTransactional}
 * @param health what the health endpoint reports
 * @param http the API and the dashboard
 */
@ConfigurationProperties("couch-jobs")
public record CouchJobsProperties(
        @DefaultValue("./data/couch-jobs") String database,
        @Nullable String subspace,
        @DefaultValue Worker worker,
        @DefaultValue Transactions transactions,
        @DefaultValue Health health,
        @DefaultValue Http http) {

    /**
     * Checks the database and the subspace.
     *
     * @param database see above
     * @param subspace see above
     * @param worker see above
     * @param transactions see above
     * @param health see above
     * @param http see above
     * @throws IllegalArgumentException if the database is none of its forms, or the subspace is blank
     */
    public CouchJobsProperties {
        DatabaseLocation unused = named("couch-jobs.database", () -> DatabaseLocation.of(database));
        if (subspace != null && subspace.isBlank()) {
            throw new IllegalArgumentException("couch-jobs.subspace is blank: leave it out for that of the library.");
        }
    }

    /**
     * Makes something of the value of a property.
     *
     * @throws IllegalArgumentException if the value is refused; it names the property, which is what the reader can
     *     change
     */
    static <T> T named(String property, Supplier<T> use) {
        try {
            return use.get();
        } catch (IllegalArgumentException e) {
            // Spring reports the innermost cause.
            throw new IllegalArgumentException(property + ": " + e.getMessage());
        }
    }

    DatabaseLocation location() {
        return DatabaseLocation.of(database);
    }

    Optional<Subspace> rows() {
        return Optional.ofNullable(subspace).map(name -> new Subspace(Tuple.from(name)));
    }

    /**
     * The worker that runs the handlers among the beans.
     *
     * @param enabled whether there is one; without it the application only adds jobs
     * @param name what the worker is called where workers are listed; by default the host and the process
     * @param concurrency how many jobs run at once; by default that of the library
     * @param shutdownTimeout how long jobs that run may take to end when the application stops
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @Nullable String name,
            @Nullable Integer concurrency,
            @DefaultValue("25s") Duration shutdownTimeout) {
        /**
         * Checks the concurrency and the timeout.
         *
         * @param enabled see above
         * @param name see above
         * @param concurrency see above
         * @param shutdownTimeout see above
         * @throws IllegalArgumentException if the concurrency is less than 1, or the timeout is negative
         */
        public Worker {
            if (concurrency != null && concurrency < 1) {
                throw new IllegalArgumentException("couch-jobs.worker.concurrency is at least 1: " + concurrency + ".");
            }
            if (shutdownTimeout.isNegative()) {
                throw new IllegalArgumentException("couch-jobs.worker.shutdown-timeout is not negative: "
                        + DurationText.of(shutdownTimeout) + ".");
            }
        }
    }

    /**
     * The transactions of {@link JobsTransactional}.
     *
     * @param tries how often a method is called at most while its transaction conflicts with others; 1 if it is not
     *     repeated
     */
    public record Transactions(@DefaultValue("5") int tries) {
        /**
         * Checks the tries.
         *
         * @param tries see above
         * @throws IllegalArgumentException if they are less than 1
         */
        public Transactions {
            if (tries < 1) {
                throw new IllegalArgumentException("couch-jobs.transactions.tries is at least 1: " + tries + ".");
            }
        }
    }

    /**
     * What the health endpoint reports.
     *
     * @param dueAtMost how long a job may be due before the status is {@code DEGRADED}
     */
    public record Health(@DefaultValue("5m") Duration dueAtMost) {
        /**
         * Checks the duration.
         *
         * @param dueAtMost see above
         * @throws IllegalArgumentException if it is negative
         */
        public Health {
            if (dueAtMost.isNegative()) {
                throw new IllegalArgumentException(
                        "couch-jobs.health.due-at-most is not negative: " + DurationText.of(dueAtMost) + ".");
            }
        }
    }

    /**
     * The API and the dashboard, which need {@code couch-jobs-server} and a servlet container.
     *
     * @param path the path of both, such as {@code /jobs}; nothing is served without it
     * @param role what a caller may do: {@code read}, {@code add}, {@code operate}, {@code work} or {@code admin}. The
     *     application's own security decides who reaches the path
     * @param roles what callers may do by their roles in the application, in place of {@code role}; callers without one
     *     of these roles may do nothing
     */
    public record Http(
            @Nullable String path,
            @DefaultValue("read") String role,
            @DefaultValue Map<String, String> roles) {
        /** The roles of {@code couch-jobs-server}, which need not be on the class path. */
        static final List<String> ROLES = List.of("read", "add", "operate", "work", "admin");

        /**
         * Checks the path and the roles.
         *
         * @param path see above
         * @param role see above
         * @param roles see above
         * @throws IllegalArgumentException if the path does not begin with a slash, or ends with one, or if the
         *     server has no such role
         */
        public Http {
            if (path != null && (!path.startsWith("/") || path.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "couch-jobs.http.path begins with a slash and does not end with one, as /jobs does: \"" + path
                                + "\".");
            }
            check("couch-jobs.http.role", role);
            roles.forEach((name, permitted) -> check("couch-jobs.http.roles." + name, permitted));
        }

        private static void check(String property, String role) {
            if (!ROLES.contains(role.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        property + " is one of " + String.join(", ", ROLES) + ": \"" + role + "\".");
            }
        }
    }
}
