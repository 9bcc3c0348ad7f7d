package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one job type: the data model of RFC 007 and its extensions. Two are equal if all their keys are: several
 * instances may share a transaction.
 */
public final class TypeKeys {
    static final long RANKED_TURNS = -1;
    static final long RANKED_NOW = 0;
    static final long RANKED_LATER = 1;
    private static final int NUMBER_BYTES_MAX = 1 + Long.BYTES;
    private static final long QUARANTINE_ENTRIES = 0;
    private static final long QUARANTINE_BYTES = 1;
    private static final long IDLE_LEADER = 0;
    private static final long IDLE_FOLLOWERS = 1;
    private static final long INDEX_CHECK_REQUEST = 0;
    private static final long INDEX_CHECK_PLACE = 1;

    private final String typeName;
    private final Subspace data;
    private final Subspace pending;
    private final byte[] dataPrefix;
    private final byte[] pendingPrefix;
    private final int hash;
    private final byte[] expectedPrefix;
    private final Subspace activity;
    private final Subspace payload;
    private final Subspace feed;
    private final byte[] watchesPending;
    private final byte[] watchesActivity;
    private final byte[] activityTimeout;
    private final byte[] feedTrimmed;
    private final Subspace ranked;
    private final Subspace counts;
    private final Subspace attempts;
    private final Subspace result;
    private final Subspace dead;
    private final Subspace log;
    private final Subspace retire;
    private final byte[] retention;
    private final Subspace waitsFor;
    private final Subspace dependents;
    private final Subspace releasing;
    private final Subspace expected;
    private final byte[] watchesReleasing;
    private final byte[] archiving;
    private final Subspace heartbeats;
    private final byte[] inUse;
    private final byte[] watchesInUse;
    private final byte[] watchesSettings;
    private final byte[] root;
    private final Subspace quarantine;
    private final Subspace quarantined;
    private final Subspace idle;
    private final Subspace limits;
    private final Subspace pausedKeys;
    private final Subspace ratedKeys;
    private final Subspace keyRates;
    private final Subspace tokenWaits;
    private final Subspace limited;
    private final byte[] limitedPrefix;
    private final Subspace slots;
    private final Subspace unique;
    private final Subspace turns;
    private final byte[] turnsPrefix;
    private final Subspace inTurn;
    private final Subspace turnRequests;
    private final Subspace weights;
    private final Subspace sequences;
    private final Subspace sequenceQueue;
    private final Subspace tags;
    private final Subspace statuses;
    private final byte[] statusesPrefix;
    private final Subspace statusCounts;
    private final Subspace indexCheck;
    private final byte[] rules;
    private final byte[] rate;
    private final Subspace rateShards;
    private final Subspace running;
    private final byte[] watchesLost;
    private final byte[] watchesEnds;
    private final GraphKeys graphs;
    private final byte[] descents;
    private final RowReader rowReader = new RowReader();
    private final Map<Class<?>, Object> known = new ConcurrentHashMap<>(0);

    /** {@return what a feature has last read of the type, if anything} It is not part of the keys. */
    public <T> Optional<T> known(Class<T> kind) {
        return Optional.ofNullable(kind.cast(known.get(kind)));
    }

    /** Keeps what a feature has read of the type, in place of what it has read before. */
    public void know(Object read) {
        known.put(read.getClass(), read);
    }

    TypeKeys(Subspace root, String typeName) {
        this.typeName = typeName;
        data = root.subspace(Tuple.from("data", typeName));
        pending = root.subspace(Tuple.from("pending", typeName));
        dataPrefix = data.pack();
        pendingPrefix = pending.pack();
        hash = Arrays.hashCode(dataPrefix);
        activity = root.subspace(Tuple.from("activity", typeName));
        watchesPending = root.pack(Tuple.from("watches_pending", typeName));
        watchesActivity = root.pack(Tuple.from("watches_activity", typeName));
        activityTimeout = root.pack(Tuple.from("activity_timeout", typeName));
        payload = root.subspace(Tuple.from("payload", typeName));
        feed = root.subspace(Tuple.from("feed", typeName));
        feedTrimmed = root.pack(Tuple.from("feed_trimmed", typeName));
        ranked = root.subspace(Tuple.from("ranked", typeName));
        counts = root.subspace(Tuple.from("counts", typeName));
        attempts = root.subspace(Tuple.from("attempts", typeName));
        result = root.subspace(Tuple.from("result", typeName));
        dead = root.subspace(Tuple.from("dead", typeName));
        log = root.subspace(Tuple.from("log", typeName));
        retire = root.subspace(Tuple.from("retire", typeName));
        retention = root.pack(Tuple.from("retention", typeName));
        waitsFor = root.subspace(Tuple.from("waits_for", typeName));
        dependents = root.subspace(Tuple.from("dependents", typeName));
        releasing = root.subspace(Tuple.from("releasing", typeName));
        expected = root.subspace(Tuple.from("expected", typeName));
        expectedPrefix = expected.pack();
        watchesReleasing = Keyspace.watchesReleasing(root);
        archiving = root.pack(Tuple.from("archiving", typeName));
        heartbeats = root.subspace(Tuple.from("heartbeats", typeName));
        inUse = Keyspace.inUseSubspace(root).pack(typeName);
        watchesInUse = Keyspace.watchesInUse(root);
        watchesSettings = Keyspace.watchesSettings(root);
        this.root = root.pack();
        quarantine = root.subspace(Tuple.from("quarantine", typeName, QUARANTINE_ENTRIES));
        quarantined = root.subspace(Tuple.from("quarantine", typeName, QUARANTINE_BYTES));
        idle = root.subspace(Tuple.from("idle", typeName));
        limits = root.subspace(Tuple.from("limits", typeName));
        pausedKeys = root.subspace(Tuple.from("paused_keys", typeName));
        ratedKeys = root.subspace(Tuple.from("rated_keys", typeName));
        keyRates = root.subspace(Tuple.from("key_rates", typeName));
        tokenWaits = Keyspace.tokenWaits(root).get(typeName);
        limited = root.subspace(Tuple.from("limited", typeName));
        limitedPrefix = limited.pack();
        slots = root.subspace(Tuple.from("slots", typeName));
        unique = root.subspace(Tuple.from("unique", typeName));
        turns = root.subspace(Tuple.from("turns", typeName));
        turnsPrefix = turns.pack();
        inTurn = root.subspace(Tuple.from("in_turn", typeName));
        turnRequests = root.subspace(Tuple.from("turn_requests", typeName));
        weights = root.subspace(Tuple.from("weights", typeName));
        sequences = root.subspace(Tuple.from("sequences", typeName));
        sequenceQueue = root.subspace(Tuple.from("sequence_queue", typeName));
        tags = root.subspace(Tuple.from("tags", typeName));
        statuses = root.subspace(Tuple.from("statuses", typeName));
        statusesPrefix = statuses.pack();
        statusCounts = root.subspace(Tuple.from("status_counts", typeName));
        indexCheck = root.subspace(Tuple.from("index_check", typeName));
        rules = root.pack(Tuple.from("rules", typeName));
        rate = root.pack(Tuple.from("rate", typeName));
        rateShards = root.subspace(Tuple.from("rate", typeName));
        running = root.subspace(Tuple.from("running", typeName));
        watchesLost = root.pack(Tuple.from("watches_lost", typeName));
        watchesEnds = root.pack(Tuple.from("watches_ends", typeName));
        graphs = new GraphKeys(root);
        descents = root.pack(Tuple.from("descents", typeName));
    }

    /** {@return the key of the note of the last job with many jobs before it} */
    byte[] descents() {
        return descents;
    }

    /** {@return the keys of the graphs, which may have jobs of several types} */
    public GraphKeys graphs() {
        return graphs;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof TypeKeys that && Arrays.equals(dataPrefix, that.dataPrefix));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** {@return the name of the type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the reader of rows of the type's jobs} */
    RowReader rowReader() {
        return rowReader;
    }

    byte[] data(String jobId) {
        return TupleWriter.key(dataPrefix, jobId);
    }

    Range dataAfter(String jobId) {
        return new Range(ByteArrayUtil.keyAfter(data.pack(jobId)), data.range().end);
    }

    String jobIdOfData(byte[] key) {
        TupleReader path = below(dataPrefix, key);
        String jobId = path.readString();
        if (path.hasNext()) {
            throw new IllegalArgumentException("The key of a job's row ends with one id; this has more parts");
        }
        return jobId;
    }

    private static TupleReader below(byte[] prefix, byte[] key) {
        if (!ByteArrayUtil.startsWith(key, prefix)) {
            throw new IllegalArgumentException("The key is in another subspace");
        }
        return new TupleReader(key, prefix.length);
    }

    byte[] pending(long scheduledTime, String jobId) {
        return new TupleWriter(pendingPrefix, jobId.length() + NUMBER_BYTES_MAX + 2)
                .add(scheduledTime)
                .add(jobId)
                .toBytes();
    }

    /** The jobs with tags, by tag and id. */
    Subspace tags() {
        return tags;
    }

    /** The jobs by status, time and id; at the subspace's own key whether they are indexed. */
    public Subspace statuses() {
        return statuses;
    }

    /** The retention of the type in place of that in the code. */
    byte[] retention() {
        return retention;
    }

    public byte[] statusesPrefix() {
        return statusesPrefix;
    }

    /** Reads the path of a row in the status index: status, time, id, and a mark behind the id if it is progress. */
    public TupleReader readStatus(byte[] key) {
        return below(statusesPrefix, key);
    }

    /** The number of jobs with each status. */
    public Subspace statusCounts() {
        return statusCounts;
    }

    /** The row that is there while a check of the indexes is requested. */
    byte[] indexCheckRequest() {
        return indexCheck.pack(INDEX_CHECK_REQUEST);
    }

    /** The row that says how far a check of the indexes is. */
    byte[] indexCheckPlace() {
        return indexCheck.pack(INDEX_CHECK_PLACE);
    }

    /** Both rows of the check of the indexes. */
    Range indexChecks() {
        return indexCheck.range();
    }

    /** All pending rows. */
    Range pending() {
        return pending.range();
    }

    /** All pending rows with a scheduled time at or before {@code latest}. */
    Range pendingScheduledUpTo(long latest) {
        byte[] begin = pending.get(0L).range().end;
        return new Range(begin, latest > 0 ? pending.get(latest).range().end : begin);
    }

    /** All pending rows with a scheduled time after a time. */
    Range pendingAfter(long scheduledTime) {
        return new Range(pending.get(scheduledTime).range().end, pending.range().end);
    }

    /** All pending rows without a scheduled time. */
    Range pendingUnscheduled() {
        return pending.get(0L).range();
    }

    /** Reads the path of a pending row: scheduled time and id. */
    TupleReader readPending(byte[] key) {
        return below(pendingPrefix, key);
    }

    /** Changed by every commit that puts a job into the pending queue. */
    public byte[] watchesPending() {
        return watchesPending;
    }

    /** Changed by every commit that appends to the feed, and so by every commit that starts a job. */
    public byte[] watchesActivity() {
        return watchesActivity;
    }

    byte[] activityTimeout() {
        return activityTimeout;
    }

    byte[] activityPrefix() {
        return activity.pack();
    }

    byte[] activity(Versionstamp sequence) {
        return activity.pack(sequence);
    }

    /** The rows of all running jobs. */
    Range activities() {
        return activity.range();
    }

    /** The rows of the running jobs whose last heartbeat is at or before a sequence. */
    Range activityUpTo(Versionstamp sequence) {
        return new Range(activity.range().begin, ByteArrayUtil.keyAfter(activity.pack(sequence)));
    }

    Versionstamp sequenceOfActivity(byte[] key) {
        return activity.unpack(key).getVersionstamp(0);
    }

    /** The chunks of a job's data. */
    Subspace payload(String jobId) {
        return payload.get(jobId);
    }

    /** The chunks of a job's result. */
    Subspace result(String jobId) {
        return result.get(jobId);
    }

    byte[] feedPrefix() {
        return feed.pack();
    }

    Range feed() {
        return feed.range();
    }

    Range feedAfter(Versionstamp sequence) {
        return new Range(ByteArrayUtil.keyAfter(feed.pack(sequence)), feed.range().end);
    }

    Range feedUpTo(Versionstamp sequence) {
        return new Range(feed.range().begin, ByteArrayUtil.keyAfter(feed.pack(sequence)));
    }

    Versionstamp sequenceOfFeed(byte[] key) {
        return feed.unpack(key).getVersionstamp(0);
    }

    byte[] feedTrimmed() {
        return feedTrimmed;
    }

    /** A key in the due part of the ranked queue: higher priorities first, and oldest first within a priority. */
    byte[] ranked(int priority, long since, long scheduledTime, String jobId) {
        return ranked.pack(Tuple.from(RANKED_NOW, -(long) priority, since, scheduledTime, jobId));
    }

    /** The due part of the ranked queue. */
    Range ranked() {
        return ranked.get(RANKED_NOW).range();
    }

    /** The rows of the due part below a priority. */
    Range rankedBelow(int priority) {
        return new Range(ranked.get(Tuple.from(RANKED_NOW, -(long) priority)).range().end, ranked().end);
    }

    /** A key in the turn part of the ranked queue: by turn key, and within one as in the due part. */
    byte[] rankedTurn(String turnKey, int priority, long since, long scheduledTime, String jobId) {
        return ranked.pack(Tuple.from(RANKED_TURNS, turnKey, -(long) priority, since, scheduledTime, jobId));
    }

    /** The turn part of the ranked queue: the due jobs with turn keys. */
    Range rankedTurns() {
        return ranked.get(RANKED_TURNS).range();
    }

    /** The due jobs with a turn key. */
    Range rankedTurn(String turnKey) {
        return ranked.get(Tuple.from(RANKED_TURNS, turnKey)).range();
    }

    /** A key in the later part of the ranked queue, by scheduled time. */
    byte[] rankedLater(long scheduledTime, int priority, String jobId) {
        return ranked.pack(Tuple.from(RANKED_LATER, scheduledTime, -(long) priority, jobId));
    }

    /** The later part of the ranked queue: jobs whose scheduled time was to come when they were enqueued. */
    Range rankedLater() {
        return ranked.get(RANKED_LATER).range();
    }

    Range rankedLaterUpTo(long latest) {
        return new Range(
                rankedLater().begin,
                ranked.get(Tuple.from(RANKED_LATER, latest)).range().end);
    }

    Range rankedLaterAfter(long scheduledTime) {
        return new Range(ranked.get(Tuple.from(RANKED_LATER, scheduledTime)).range().end, rankedLater().end);
    }

    Tuple unpackRanked(byte[] key) {
        return ranked.unpack(key);
    }

    byte[] counts(int shard) {
        return counts.pack(shard);
    }

    Range counts() {
        return counts.range();
    }

    /** The past attempts at a job, by the numbers of their claims. */
    Subspace attempts(String jobId) {
        return attempts.get(jobId);
    }

    /** The log of a job. */
    Subspace log(String jobId) {
        return log.get(jobId);
    }

    /** The dead letters, in the order of their ends. */
    Subspace dead() {
        return dead;
    }

    /** The dead letters after a key, or from the first, up to a key, or to the last. */
    Range deadBetween(Optional<byte[]> after, Optional<byte[]> upTo) {
        Range all = dead.range();
        return new Range(
                after.map(ByteArrayUtil::keyAfter).orElse(all.begin),
                upTo.map(ByteArrayUtil::keyAfter).orElse(all.end));
    }

    /** The dead letters before a key, or all of them. */
    Range deadBefore(Optional<byte[]> before) {
        Range all = dead.range();
        return new Range(all.begin, before.orElse(all.end));
    }

    byte[] dead(long endedAt, String jobId) {
        return dead.pack(Tuple.from(endedAt, jobId));
    }

    /** The retention index: one for jobs that an archive accepts first, and one for all other jobs. */
    Subspace retire(boolean archived) {
        return retire.get(archived);
    }

    /** The links of a job to its dependencies: type, id and waiter group of each. */
    public Subspace waitsFor(String jobId) {
        return waitsFor.get(jobId);
    }

    /** The dependents of a job in a waiter group: the type and the id of each. */
    public Subspace dependents(String jobId, long group) {
        return dependents.get(Tuple.from(jobId, group));
    }

    /** The dependents of a job in all waiter groups. */
    public Subspace dependents(String jobId) {
        return dependents.get(jobId);
    }

    public byte[] releasing(String jobId, long group) {
        return releasing.pack(Tuple.from(jobId, group));
    }

    /** The waiter group of the dependents of a job that does not exist. */
    public byte[] expected(String jobId) {
        return TupleWriter.key(expectedPrefix, jobId);
    }

    /** {@return the range of the waiter groups of all jobs of the type that do not exist} */
    public Range expected() {
        return expected.range();
    }

    public Tuple unpackReleasing(byte[] key) {
        return releasing.unpack(key);
    }

    /** Changed by every commit that leaves release notices: one key for all types. */
    public byte[] watchesReleasing() {
        return watchesReleasing;
    }

    /** The rows of the retention index that are due at a second. */
    Range retireUpTo(boolean archived, long second) {
        Subspace index = retire(archived);
        return new Range(index.range().begin, index.get(second).range().end);
    }

    /** A key for the conflict ranges of the heartbeats of a job. It stores nothing. */
    byte[] heartbeats(String jobId) {
        return heartbeats.pack(jobId);
    }

    /** The row of a type in use, with its monitor lease. */
    byte[] inUse() {
        return inUse;
    }

    /** Changed by every commit that brings a type into use: one key for all types. */
    byte[] watchesInUse() {
        return watchesInUse;
    }

    /** Changed by every commit that gives a type another timeout: one key for all types. */
    byte[] watchesSettings() {
        return watchesSettings;
    }

    /** The archive lease. */
    byte[] archiving() {
        return archiving;
    }

    /** The rows in quarantine, with their original keys, by the commits that moved them. */
    Subspace quarantine() {
        return quarantine;
    }

    /** The bytes of the rows in quarantine. */
    Subspace quarantined() {
        return quarantined;
    }

    /** The leader and the followers of the idle processes. */
    Range idle() {
        return idle.range();
    }

    /** The token of the leader. */
    byte[] leader() {
        return idle.pack(IDLE_LEADER);
    }

    byte[] follower(long token) {
        return idle.pack(Tuple.from(IDLE_FOLLOWERS, token));
    }

    /** The followers with tokens from a token on. */
    Range followersFrom(long token) {
        return new Range(follower(token), idle.get(IDLE_FOLLOWERS).range().end);
    }

    /** The followers with tokens below a token. */
    Range followersBelow(long token) {
        return new Range(idle.get(IDLE_FOLLOWERS).range().begin, follower(token));
    }

    long tokenOfFollower(byte[] key) {
        return idle.unpack(key).getLong(1);
    }

    /** How many jobs of each limit key may run at once: by limit key, and at the subspace's own key for all others. */
    public Subspace limits() {
        return limits;
    }

    /** The limit keys that are paused. */
    Subspace pausedKeys() {
        return pausedKeys;
    }

    /** The limit keys that have a rate. */
    Subspace ratedKeys() {
        return ratedKeys;
    }

    /** The row that counts the starts under the rate of a limit key. */
    byte[] keyRate(String limitKey) {
        return keyRates.pack(limitKey);
    }

    /** The limit keys whose jobs wait for tokens, by the version from which there is one. */
    Subspace tokenWaits() {
        return tokenWaits;
    }

    /** The jobs that are due and wait for a slot of their limit key, by limit key. */
    public Subspace limited() {
        return limited;
    }

    /** A key in the limited queue: the highest priority first, and the oldest first within a priority. */
    byte[] limited(String limitKey, int priority, long since, String jobId) {
        return new TupleWriter(limitedPrefix, limitKey.length() + jobId.length() + 2 * NUMBER_BYTES_MAX + 4)
                .add(limitKey)
                .add(-(long) priority)
                .add(since)
                .add(jobId)
                .toBytes();
    }

    /** Reads the path of a row in the limited queue: limit key, negative priority, enqueue time and id. */
    TupleReader readLimited(byte[] key) {
        return below(limitedPrefix, key);
    }

    /** How many slots of each limit key are taken. */
    public Subspace slots() {
        return slots;
    }

    /** The last job that was added with each unique key. */
    Subspace unique() {
        return unique;
    }

    /** The order in which the turn keys with due jobs take turns. */
    Range turns() {
        return turns.range();
    }

    byte[] turnsPrefix() {
        return turnsPrefix;
    }

    /** Reads the path of a turn: sequence and turn key. */
    Tuple unpackTurn(byte[] key) {
        return turns.unpack(key);
    }

    /** The key that exists while a turn key has a turn. */
    byte[] inTurn(String turnKey) {
        return inTurn.pack(turnKey);
    }

    /** The turn keys for which jobs have become due since a claim has looked. */
    Subspace turnRequests() {
        return turnRequests;
    }

    /** The weights of turn keys; at the subspace's own key whether there are any. */
    Subspace weights() {
        return weights;
    }

    /** The sequences with jobs. */
    public Subspace sequences() {
        return sequences;
    }

    /** A job behind the current one of a sequence. */
    public byte[] sequenceQueue(String name, long number) {
        return sequenceQueue.pack(Tuple.from(name, number));
    }

    /** The jobs behind the current one of a sequence. */
    public Range sequenceQueue(String name) {
        return sequenceQueue.get(name).range();
    }

    public long numberInSequence(byte[] key) {
        return sequenceQueue.unpack(key).getLong(1);
    }

    /** The key of the rules that claims of the type respect. */
    byte[] rules() {
        return rules;
    }

    /** The key of the row that counts the starts under the rate of the type, if that is not split. */
    byte[] rate() {
        return rate;
    }

    /** The key of the row that counts the starts under a part of the rate of the type. */
    byte[] rate(int shard) {
        return rateShards.pack(shard);
    }

    /** The rows that count the starts under the rate of the type, or under its parts. */
    Range rates() {
        return new Range(rate, rateShards.range().end);
    }

    /** The row with the number of running jobs that a shard of the limit of the type counts. */
    byte[] running(int shard) {
        return running.pack(shard);
    }

    Range running() {
        return running.range();
    }

    int runningShard(byte[] key) {
        return Math.toIntExact(running.unpack(key).getLong(0));
    }

    /** The key that changes when a claim ends other than by its holder. */
    byte[] watchesLost() {
        return watchesLost;
    }

    /** The key that changes when a job of the type no longer runs, in instances whose types may have rules. */
    public byte[] watchesEnds() {
        return watchesEnds;
    }

    /** A key without the prefix of all keys. */
    byte[] relative(byte[] key) {
        return Arrays.copyOfRange(key, Math.min(root.length, key.length), key.length);
    }

    byte[] absolute(byte[] relativeKey) {
        return ByteArrayUtil.join(root, relativeKey);
    }

    /** {@return whether a key is that of a job's row} */
    boolean isJobRow(byte[] key) {
        return jobIdOf(key).isPresent();
    }

    /** {@return the id of the job whose row has a key, if it is the key of a job's row} */
    Optional<String> jobIdOf(byte[] key) {
        try {
            return data.contains(key) ? Optional.of(jobIdOfData(key)) : Optional.empty();
        } catch (RuntimeException e) { // a damaged key that begins like that of a job's row
            return Optional.empty();
        }
    }
}
