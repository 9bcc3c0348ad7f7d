package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Builds a CouchJobs instance with settings other than the defaults. If the database is a wrapper, it sees transactions
 * that run in the database's own loops, and, where the library has to know why a commit failed, transactions that the
 * library makes, commits and tries again by {@code onError} itself.
 */
public final class CouchJobsBuilder {
    final Database database;
    Subspace subspace = new Subspace();

    @Nullable Environment environment;

    private @Nullable String name;
    Duration maxClockSkew = Duration.ofMinutes(1);
    private @Nullable JsonCodec codec;
    PayloadEncryption encryption = PayloadEncryption.writingPlaintext();
    Duration transactionTimeout = Duration.ofSeconds(60);
    Duration feedRetention = Duration.ofMinutes(10);
    private String transactionTag = "couch-jobs";
    private boolean traceTransactions;
    final List<JobsListener> listeners = new ArrayList<>();
    final List<JobMiddleware> middleware = new ArrayList<>();

    CouchJobsBuilder(Database database) {
        this.database = Objects.requireNonNull(database, "database");
    }

    /**
     * Where the jobs are kept, so that several instances can share a cluster; by default the root.
     *
     * @param subspace the prefix of all keys
     * @return this builder
     */
    public CouchJobsBuilder subspace(Subspace subspace) {
        this.subspace = Objects.requireNonNull(subspace, "subspace");
        return this;
    }

    /**
     * What the history of a job calls this instance; by default the host's name, the number of the process and
     * something random.
     *
     * @param name a name of 1 to 200 characters, well-formed
     * @return this builder
     * @throws IllegalArgumentException if it is empty, longer or no well-formed text, or has a control character
     */
    public CouchJobsBuilder name(String name) {
        this.name = Name.INSTANCE.checked(name);
        return this;
    }

    /** In an environment that the caller gave, the name contains only what that environment provides. */
    String name(Environment environment) {
        if (name != null) {
            return name;
        }
        String random = HexFormat.of().toHexDigits(environment.random().nextInt());
        return this.environment == null ? Environment.processName() + "-" + random : random;
    }

    /** {@return the host of this process; empty in an environment of its own, as for the name} */
    String host() {
        return environment == null ? Environment.hostName() : "";
    }

    /**
     * Clock, timers and randomness; by default the system's.
     *
     * @param environment the environment
     * @return this builder
     */
    public CouchJobsBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets the Jackson 3 mapper that writes and reads the data of jobs; by default a plain {@link JsonMapper}.
     *
     * @param mapper a JSON mapper
     * @return this builder
     */
    public CouchJobsBuilder objectMapper(ObjectMapper mapper) {
        return codec(JsonCodec.of(mapper));
    }

    /**
     * Sets another codec for the data of jobs, such as one of Jackson 2, in place of {@link #objectMapper}. All
     * instances that share a subspace need codecs that read each other's JSON.
     *
     * @param codec the codec
     * @return this builder
     */
    public CouchJobsBuilder codec(JsonCodec codec) {
        this.codec = Objects.requireNonNull(codec, "codec");
        return this;
    }

    /** {@return the codec: with a mapper of its own unless one is set, since a shared one keeps all payload classes} */
    JsonCodec codec() {
        return codec == null ? JsonCodec.of(new JsonMapper()) : codec;
    }

    /**
     * Encrypts payloads; by default they are stored as JSON. All instances that share a subspace need the keys of each
     * other.
     *
     * @param encryption the keys
     * @return this builder
     */
    public CouchJobsBuilder encryption(PayloadEncryption encryption) {
        this.encryption = Objects.requireNonNull(encryption, "encryption");
        return this;
    }

    /**
     * How long a transaction that a verb runs by itself may take with all its retries; by default 60 seconds.
     *
     * @param timeout at least a millisecond, at most 24 days
     * @return this builder
     * @throws IllegalArgumentException if it is not
     */
    public CouchJobsBuilder transactionTimeout(Duration timeout) {
        // FoundationDB counts it in milliseconds and 31 bits, and takes 0 for no timeout at all.
        this.transactionTimeout =
                Durations.between("transactionTimeout", timeout, Duration.ofMillis(1), Duration.ofDays(24));
        return this;
    }

    /**
     * How long the changes of jobs can be read after they were made, at least; by default ten minutes. A process that
     * was suspended for longer receives the state of the jobs it follows instead of the changes it missed. Any instance
     * may trim the feed, so give the same to all that share a subspace; not less than their transaction timeout,
     * because verbs recognise their own commits in the feed.
     *
     * @param retention more than zero, at most 36,500 days
     * @return this builder
     * @throws IllegalArgumentException if it is not
     */
    public CouchJobsBuilder feedRetention(Duration retention) {
        this.feedRetention = Durations.positive("feedRetention", retention);
        return this;
    }

    /**
     * How far the clock of this process may be off those of the other processes, by default a minute. Beyond it this
     * process removes no jobs and hands none to archives, so that no job goes on the word of one clock; see
     * {@link ClockSkew}. Everything else goes on.
     *
     * @param bound more than zero, at most 36,500 days; with these, clocks are neither noted nor compared
     * @return this builder
     * @throws IllegalArgumentException if it is not
     */
    public CouchJobsBuilder maxClockSkew(Duration bound) {
        this.maxClockSkew = Durations.positive("maxClockSkew", bound);
        return this;
    }

    /**
     * The tag of the transactions that this instance opens by itself, by which the operators of a cluster can throttle
     * them, and with which what they are called in its traces begins; by default {@code couch-jobs}. Transactions that
     * it joins are left as they are, and heartbeats carry no tag: a job whose processor is slowed down stays its
     * processor's.
     *
     * @param tag 1 to 16 bytes in UTF-8
     * @return this builder
     * @throws IllegalArgumentException if it is empty, longer or no well-formed text, or has a control character
     */
    public CouchJobsBuilder transactionTag(String tag) {
        this.transactionTag = Name.TRANSACTION_TAG.checked(tag);
        return this;
    }

    /**
     * Whether the client's traces, if they are on, contain every step of the transactions that this instance opens by
     * itself, under what they are called: their read versions, reads and commits with keys, and how long each took. By
     * default they do not. To look for the cause of something; it writes a lot.
     *
     * @param wanted whether they do
     * @return this builder
     */
    public CouchJobsBuilder traceTransactions(boolean wanted) {
        this.traceTransactions = wanted;
        return this;
    }

    /**
     * Adds a listener, which receives what the instance does.
     *
     * @param listener the listener; several are called in the order in which they were added
     * @return this builder
     */
    public CouchJobsBuilder listener(JobsListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Adds middleware around the additions of the instance and the attempts of all its workers.
     *
     * @param middleware the middleware; the first that is added is the outermost
     * @return this builder
     */
    public CouchJobsBuilder middleware(JobMiddleware middleware) {
        this.middleware.add(Objects.requireNonNull(middleware, "middleware"));
        return this;
    }

    TransactionLabel label() {
        return TransactionLabel.tagged(transactionTag, traceTransactions);
    }

    /**
     * Makes the instance. It does nothing until it is used.
     *
     * @return the instance, to be closed when no longer needed
     * @throws IllegalArgumentException if the feed would be trimmed while a transaction may still look into it
     */
    public CouchJobs build() {
        if (feedRetention.compareTo(transactionTimeout) < 0) {
            throw new IllegalArgumentException("feedRetention (" + DurationText.of(feedRetention)
                    + ") must not be less than transactionTimeout (" + DurationText.of(transactionTimeout)
                    + "): verbs recognise their own commits in the feed.");
        }
        return new CouchJobs(this);
    }
}
