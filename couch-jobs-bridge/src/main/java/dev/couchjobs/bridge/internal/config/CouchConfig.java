package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.couch.Credentials;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A node's CouchDB.
 *
 * @param url the database's address, without name and password
 * @param credentials who the bridge is there
 * @param caFile certificates, in PEM, of the authorities to trust instead of those that Java does
 * @param isCreated whether to make the database if there is none
 * @param heartbeat how often the server shows that a silent feed is alive
 */
public record CouchConfig(
        URI url, Credentials credentials, Optional<Path> caFile, boolean isCreated, Duration heartbeat) {}
