package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.couch.Credentials;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The CouchDB of a node.
 *
 * @param url the database's address, without name and password
 * @param credentials the user and the password
 * @param caFile the certificates, in PEM, of the authorities to trust in place of Java's
 * @param isCreated whether to create the database if it does not exist
 * @param heartbeat the time between heartbeats of a silent feed
 */
public record CouchConfig(
        URI url, Credentials credentials, Optional<Path> caFile, boolean isCreated, Duration heartbeat) {}
