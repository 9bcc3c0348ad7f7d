package dev.couchjobs.bridge;

import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Settings of a node that can be changed while its bridge runs. Those that are empty are as in its {@code bridge.toml}.
 *
 * @param workers how many steps run at once; at least 1
 * @param concurrency how many work items of a kind run at once, by kind; at least 1
 * @param claimTimeout how long a claim may be silent, wanted from a second to a year; the same on all nodes, or a step
 *     may begin twice
 * @param heartbeat the time between heartbeats of a silent feed, wanted from a second to a day
 * @param server a server of {@code [couchdb.others]}, by its name
 * @param database the name of the database on that server, or else on the node's own
 * @param memoryLimit the address space of each process of a command, in bytes; at least 16 MiB
 * @param processorLimit the processor time of each process of a command; whole seconds
 */
public record BridgeSettings(
        OptionalInt workers,
        Map<String, Integer> concurrency,
        Optional<Duration> claimTimeout,
        Optional<Duration> heartbeat,
        Optional<String> server,
        Optional<String> database,
        OptionalLong memoryLimit,
        Optional<Duration> processorLimit) {
    /** The least limit of the memory: a shell needs so much to start a command. */
    public static final long MEMORY_MIN = 16L * 1024 * 1024;

    private static final int NAME_MAX = 200;
    private static final int KINDS_MAX = 100;
    private static final Pattern DATABASE = Pattern.compile("[a-z][a-z0-9_$()+/-]*");

    /**
     * Checks the settings.
     *
     * @param workers see above
     * @param concurrency see above
     * @param claimTimeout see above
     * @param heartbeat see above
     * @param server see above
     * @param database see above
     * @param memoryLimit see above
     * @param processorLimit see above
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public BridgeSettings {
        SortedMap<String, Integer> copy = new TreeMap<>(concurrency);
        concurrency = Collections.unmodifiableSortedMap(copy);
        workers.ifPresent(number -> checkNumber("workers", number));
        copy.forEach((kind, number) -> checkNumber("concurrency of " + kind, number));
        require(copy.size() <= KINDS_MAX, "at most " + KINDS_MAX + " kinds of work items have a concurrency");
        claimTimeout.ifPresent(time -> checkTime("claimTimeout", time));
        heartbeat.ifPresent(time -> checkTime("heartbeat", time));
        server.ifPresent(name -> require(!name.isBlank() && name.length() <= NAME_MAX, "server is no name"));
        database.ifPresent(name -> require(
                DATABASE.matcher(name).matches() && name.length() <= NAME_MAX,
                "database is not the name of a database: small letters, digits and _$()+/-, a letter first"));
        memoryLimit.ifPresent(
                bytes -> require(bytes >= MEMORY_MIN, "memoryLimit is at least " + MEMORY_MIN + ", not " + bytes));
        processorLimit.ifPresent(time -> require(
                time.toSeconds() >= 1 && time.toNanosPart() == 0,
                "processorLimit is whole seconds, at least one, not " + DurationText.of(time)));
    }

    /** {@return settings that are all as in the file} */
    public static BridgeSettings none() {
        return new BridgeSettings(
                OptionalInt.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty());
    }

    /**
     * {@return these settings with another number of workers}
     *
     * @param number how many; empty for that of the file
     */
    public BridgeSettings withWorkers(OptionalInt number) {
        return new BridgeSettings(
                number, concurrency, claimTimeout, heartbeat, server, database, memoryLimit, processorLimit);
    }

    /**
     * {@return these settings with another concurrency of work items}
     *
     * @param numbers by kind; others are as in the file
     */
    public BridgeSettings withConcurrency(Map<String, Integer> numbers) {
        return new BridgeSettings(
                workers, numbers, claimTimeout, heartbeat, server, database, memoryLimit, processorLimit);
    }

    /**
     * {@return these settings with another timeout of claims}
     *
     * @param time the timeout; empty for that of the file
     */
    public BridgeSettings withClaimTimeout(Optional<Duration> time) {
        return new BridgeSettings(workers, concurrency, time, heartbeat, server, database, memoryLimit, processorLimit);
    }

    /**
     * {@return these settings with another heartbeat}
     *
     * @param time the heartbeat; empty for that of the file
     */
    public BridgeSettings withHeartbeat(Optional<Duration> time) {
        return new BridgeSettings(
                workers, concurrency, claimTimeout, time, server, database, memoryLimit, processorLimit);
    }

    /**
     * {@return these settings with another database}
     *
     * @param newServer one of {@code [couchdb.others]}; empty for the node's own
     * @param newDatabase its name; empty for that of the file
     */
    public BridgeSettings withDatabase(Optional<String> newServer, Optional<String> newDatabase) {
        return new BridgeSettings(
                workers, concurrency, claimTimeout, heartbeat, newServer, newDatabase, memoryLimit, processorLimit);
    }

    /**
     * {@return these settings with other limits of commands}
     *
     * @param memory in bytes; empty for that of the file
     * @param processor whole seconds; empty for that of the file
     */
    public BridgeSettings withLimits(OptionalLong memory, Optional<Duration> processor) {
        return new BridgeSettings(workers, concurrency, claimTimeout, heartbeat, server, database, memory, processor);
    }

    private static void checkNumber(String name, int number) {
        require(number >= 1, name + " is at least 1, not " + number);
    }

    private static void checkTime(String name, Duration time) {
        require(!time.isNegative() && !time.isZero(), name + " is longer than " + DurationText.of(time));
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
