package dev.couchjobs.bench.jobs;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * What a system is given to do.
 *
 * @param instances how many there are at most, each as another process would be one
 * @param types how many types of jobs, of which each instance runs all
 * @param payloadBytes what each job carries
 */
record Load(int instances, int types, int payloadBytes) {
    static final int PAYLOAD_BYTES = 100;
    /** What this machine can have at once. */
    private static final int PLACES = 1_600;

    private static final int CONNECTIONS = 320;
    private static final int PAYLOADS = 16;
    private static final int SEED = 7;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

    static Load of(int instances) {
        return new Load(instances, 1, PAYLOAD_BYTES);
    }

    /** So many jobs at once in each instance, or fewer where there are many instances. */
    int places(int wanted) {
        return Math.min(wanted, PLACES / instances);
    }

    /** So many connections for each instance, or fewer where there are many instances. */
    int connections(int wanted) {
        return Math.min(wanted, CONNECTIONS / instances);
    }

    /** Which of the types a job is of. */
    int type(int number) {
        return number % types;
    }

    /** Texts that hardly compress, for a database might; which of them a job carries depends on its number. */
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
