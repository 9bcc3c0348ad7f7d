package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.Environment;
import dev.couchjobs.loop.DurationText;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * How to reach a database.
 *
 * @param address the database's address, without name and password
 * @param credentials the user and the password
 * @param heartbeat the time between heartbeats of a silent feed; the connection is closed after two and a half of them
 *     without a byte
 * @param batch the largest number of changes, documents or revisions in a request or a call
 * @param timeout the time limit for the complete answer to a request
 * @param firstPause the approximate pause after the first fault; each pause is twice the one before
 * @param longestPause the limit of the pauses
 * @param isCreated whether a feed creates the database if it does not exist
 * @param environment clock, timer and randomness
 * @param client the HTTP client; its executor, which it must have, runs callbacks
 */
public record CouchSettings(
        URI address,
        Credentials credentials,
        Duration heartbeat,
        int batch,
        Duration timeout,
        Duration firstPause,
        Duration longestPause,
        boolean isCreated,
        Environment environment,
        HttpClient client) {
    /** Checks the settings. */
    public CouchSettings {
        Address.of(address);
        if (batch < 1 || batch > 1000) {
            throw new IllegalArgumentException("A batch holds from 1 to 1000, not " + batch);
        }
        requirePositive("heartbeat", heartbeat);
        requirePositive("timeout", timeout);
        requirePositive("first pause", firstPause);
        if (longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException("The longest pause, " + DurationText.of(longestPause)
                    + ", is shorter than the first, " + DurationText.of(firstPause));
        }
    }

    private static void requirePositive(String what, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("The " + what + " has to be longer than " + DurationText.of(duration));
        }
    }

    /**
     * {@return the default settings; a name and a password in the address become basic credentials}
     *
     * @param environment clock, timer and randomness
     * @param client the HTTP client, which has an executor
     */
    public static CouchSettings of(URI address, Environment environment, HttpClient client) {
        return new CouchSettings(
                URI.create(Address.of(address).toString()),
                Credentials.in(address),
                Duration.ofSeconds(10),
                200,
                Duration.ofSeconds(60),
                Duration.ofMillis(100),
                Duration.ofSeconds(10),
                false,
                environment,
                client);
    }

    /** {@return the threads for requests, callbacks, and tasks that would delay a timer} */
    Executor executor() {
        return client.executor().orElseThrow();
    }

    /** {@return these settings with other credentials} */
    public CouchSettings withCredentials(Credentials other) {
        return new CouchSettings(
                address, other, heartbeat, batch, timeout, firstPause, longestPause, isCreated, environment, client);
    }

    /** {@return these settings with another heartbeat} */
    public CouchSettings withHeartbeat(Duration other) {
        return new CouchSettings(
                address, credentials, other, batch, timeout, firstPause, longestPause, isCreated, environment, client);
    }

    /** {@return these settings with another largest batch} */
    public CouchSettings withBatch(int other) {
        return new CouchSettings(
                address,
                credentials,
                heartbeat,
                other,
                timeout,
                firstPause,
                longestPause,
                isCreated,
                environment,
                client);
    }

    /** {@return these settings with another time-out of requests} */
    public CouchSettings withTimeout(Duration other) {
        return new CouchSettings(
                address,
                credentials,
                heartbeat,
                batch,
                other,
                firstPause,
                longestPause,
                isCreated,
                environment,
                client);
    }

    /** {@return these settings with other pauses between attempts} */
    public CouchSettings withPauses(Duration first, Duration longest) {
        return new CouchSettings(
                address, credentials, heartbeat, batch, timeout, first, longest, isCreated, environment, client);
    }

    /** {@return these settings with a feed that creates the database, or waits for it} */
    public CouchSettings withCreation(boolean other) {
        return new CouchSettings(
                address, credentials, heartbeat, batch, timeout, firstPause, longestPause, other, environment, client);
    }

    /** {@return these settings in another environment} */
    public CouchSettings withEnvironment(Environment other) {
        return new CouchSettings(
                address, credentials, heartbeat, batch, timeout, firstPause, longestPause, isCreated, other, client);
    }
}
