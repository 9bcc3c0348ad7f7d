package dev.couchjobs.server.internal.cli;

import dev.couchjobs.fdb.DatabaseLocation;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where the jobs are: a server, or a database that the command opens itself. */
final class TargetOptions {
    static final String STANDARD_URL = "http://127.0.0.1:7470";
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private @Nullable Place place;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "The token for the server. Better in COUCH_JOBS_TOKEN: other users can see arguments.")
    private @Nullable String token;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "The authorities, in PEM, by which the server's certificate is trusted, in place of Java's."
                    + " Default: COUCH_JOBS_CA_FILE.")
    private @Nullable Path authorities;

    private static final class Place {
        @Option(
                names = "--url",
                paramLabel = "URL",
                description = "The server of the jobs. Default: COUCH_JOBS_URL, or " + STANDARD_URL)
        private @Nullable String url;

        @Option(
                names = "--directory",
                paramLabel = "DIRECTORY",
                description = "The jobs of a directory that no other process has open.")
        private @Nullable Path directory;

        @Option(names = "--cluster-file", paramLabel = "FILE", description = "The jobs of a FoundationDB cluster.")
        private @Nullable Path clusterFile;
    }

    /** {@return the database to open, or empty if there is a server} */
    Optional<DatabaseLocation> location() {
        if (place != null && place.directory != null) {
            return Optional.of(new DatabaseLocation.Directory(place.directory));
        }
        if (place != null && place.clusterFile != null) {
            return Optional.of(new DatabaseLocation.ClusterFile(place.clusterFile));
        }
        return Optional.empty();
    }

    URI url(Map<String, String> environment) {
        String text = place != null && place.url != null
                ? place.url
                : environment.getOrDefault("COUCH_JOBS_URL", STANDARD_URL);
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            throw wrongUrl(text);
        }
        if (url.getHost() == null || url.getRawUserInfo() != null || !isHttp(url)) {
            throw wrongUrl(text);
        }
        if (token(environment).isPresent() && isReadable(url)) {
            throw new Failure(
                    Failure.USAGE,
                    "The token would travel to " + url.getHost() + " where others can read it.",
                    "Use an address that begins with https://.");
        }
        return url;
    }

    private static boolean isHttp(URI url) {
        return Set.of("http", "https").contains(url.getScheme().toLowerCase(Locale.ROOT));
    }

    private static boolean isReadable(URI url) {
        return url.getScheme().equalsIgnoreCase("http") && !LOOPBACK.contains(url.getHost());
    }

    /** The text may have a password in it. */
    private static Failure wrongUrl(String text) {
        String shown = text.replaceAll("//[^/@]*@", "//...@");
        return new Failure(
                Failure.USAGE,
                "This is no address of a server: " + shown,
                "It looks like " + STANDARD_URL + ", without a user and a password.");
    }

    Optional<Path> authorities(Map<String, String> environment) {
        return Optional.ofNullable(authorities)
                .or(() -> Optional.ofNullable(environment.get("COUCH_JOBS_CA_FILE"))
                        .filter(text -> !text.isEmpty())
                        .map(Path::of));
    }

    Optional<String> token(Map<String, String> environment) {
        return Optional.ofNullable(token != null ? token : environment.get("COUCH_JOBS_TOKEN"))
                .map(String::strip)
                .filter(text -> !text.isEmpty());
    }
}
