package dev.couchjobs.bench.jobs;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * The load of a system.
 *
 * @param instances the maximum number of instances, each like another process
 * @param types the number of types of jobs; each instance runs all types
 * @param payloadBytes the size of the payload of a job
 */
record Load(int instances, int types, int payloadBytes) {
    static final int PAYLOAD_BYTES = 100;
    /** The maximum number of slots of all instances on this machine. */
    private static final int SLOTS = 1_600;

    private static final int CONNECTIONS = 320;
    private static final int PAYLOADS = 16;
    private static final int SEED = 7;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

    static Load of(int instances) {
        return new Load(instances, 1, PAYLOAD_BYTES);
    }

    /** The number of slots of each instance: at most {@code max}, or fewer if there are many instances. */
    int slots(int max) {
        return Math.min(max, SLOTS / instances);
    }

    /** The number of connections of each instance: at most {@code max}, or fewer if there are many instances. */
    int connections(int max) {
        return Math.min(max, CONNECTIONS / instances);
    }

    /** The index of the type of a job. */
    int type(int number) {
        return number % types;
    }

    /** Payloads that hardly compress, because a database may compress; the number of a job selects one. */
    String[] payloads() {
        Random random = new Random(SEED);
        return IntStream.range(0, PAYLOADS)
                .mapToObj(payload -> random.ints(payloadBytes, 0, LETTERS.length())
                        .collect(
                                StringBuilder::new,
                                (text, letter) -> text.append(LETTERS.charAt(letter)),
                                StringBuilder::append)
                        .toString())
                .toArray(String[]::new);
    }
}
