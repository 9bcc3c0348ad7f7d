package dev.couchjobs.server.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.server.internal.jetty.NetSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The configuration file. */
class ServerConfigTest {
    private static final Path DIRECTORY = Path.of("/etc/couch-jobs");

    private static ServerConfig parse(String toml) throws ConfigException {
        return ServerConfig.parse(toml, DIRECTORY);
    }

    private static List<String> mistakes(String toml) {
        try {
            parse(toml);
        } catch (ConfigException e) {
            return e.mistakes();
        }
        return List.of();
    }

    @Test
    void everythingIsRead() throws ConfigException {
        ServerConfig config = parse("""
                directory = "data"
                host = "0.0.0.0"
                port = 8443
                names = ["jobs.example.org"]
                tokens = true
                hidden = ["mail", "payment"]
                audit = false
                backups = "backups"

                [tls]
                certificates = "chain.pem"
                key = "/secret/key.pem"

                [bridge]
                file = "bridge.toml"

                [limits]
                body_bytes = 1000
                header_bytes = 2000
                connections = 3
                feed_clients = 4
                requests_per_second = 5
                burst = 6
                idle_time = "7s"
                transfer_time = "PT8S"
                """);
        assertThat(config)
                .isEqualTo(new ServerConfig(
                        Optional.of(new DatabaseLocation.Directory(DIRECTORY.resolve("data"))),
                        Optional.of("0.0.0.0"),
                        Optional.of(8443),
                        List.of("jobs.example.org"),
                        true,
                        Set.of("mail", "payment"),
                        false,
                        Optional.of(new NetSettings.Tls(DIRECTORY.resolve("chain.pem"), Path.of("/secret/key.pem"))),
                        new ServerConfig.Bridge(Optional.empty(), Optional.of(DIRECTORY.resolve("bridge.toml"))),
                        new ServerConfig.Limits(1000, 2000, 3, 4, 5, 6, Duration.ofSeconds(7), Duration.ofSeconds(8)),
                        Optional.of(DIRECTORY.resolve("backups"))));
    }

    @Test
    void allMistakesAreNamedAtOnce() {
        assertThat(mistakes("""
                        directory = "data"
                        cluster_file = "fdb.cluster"
                        prot = 1
                        port = "x"
                        tokens = "yes"
                        hidden = "mail"
                        [tls]
                        key = "key.pem"
                        [limits]
                        body_byte = 1
                        connections = 0
                        burst = 1.5
                        idle_time = "soon"
                        colour = "red"
                        """))
                .containsExactlyInAnyOrder(
                        "cluster_file: jobs are in one place: give either directory or cluster_file",
                        "prot: there is no such key; did you mean \"port\"?",
                        "port: has to be a whole number from 0 to 65535",
                        "tokens: has to be true or false",
                        "hidden: has to be a list of texts, such as [\"a\", \"b\"]",
                        "tls.certificates: is missing: TLS needs both files",
                        "limits.body_byte: there is no such key; did you mean \"body_bytes\"?",
                        "limits.connections: has to be a whole number from 1 to 1000000",
                        "limits.burst: has to be a whole number from 1 to 1000000",
                        "limits.idle_time: 'soon' is not a time; write \"30s\", \"5m\", \"2h\" or \"PT30S\"",
                        "limits.colour: there is no such key");
        assertThat(mistakes("a = \n")).singleElement().asString().startsWith("line 1: not TOML");
    }

    @Test
    void anEmptyFileHasSafeValues() throws ConfigException {
        ServerConfig config = parse("");
        assertThat(config).isEqualTo(ServerConfig.empty());
        assertThat(config.isAudited()).isTrue();
        assertThat(config.place()).isEmpty();
        assertThatThrownBy(() -> ServerConfig.read(Path.of("none.toml"))).hasMessageContaining("cannot be read");
    }
}
