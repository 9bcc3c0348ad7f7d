package dev.couchjobs.fdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseLocationTest {
    @TempDir
    private Path directory;

    @Test
    void memoryIsInMemory() {
        assertThat(DatabaseLocation.of(" memory ")).isEqualTo(new DatabaseLocation.InMemory());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'' | it is empty",
                "mem | \"say \"\"memory\"\" for a database in memory, or \"\"./mem\"\"\"",
                "data | ./data",
                "~/jobs | whole path",
                "file:///var/lib/jobs | it is a URL",
                "https://example.org/jobs | it is a URL",
                "127.0.0.1:4500 | description:id@127.0.0.1:4500",
                "fdb1:4500:tls,fdb2:4500:tls | cluster file",
            })
    void whatMayBeAMistakeIsRefused(String text, String cure) {
        assertThatThrownBy(() -> DatabaseLocation.of(text.replace("'", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not name a database")
                .hasMessageContaining(cure);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docker:docker@127.0.0.1:4500",
                "shop:Ab12@10.0.0.1:4500,10.0.0.2:4500,10.0.0.3:4500",
                "shop:Ab12@fdb1:4500:tls,fdb2:4500:tls",
                "shop:Ab12@[::1]:4500"
            })
    void aConnectionStringIsACluster(String text) {
        assertThat(DatabaseLocation.of(text)).isEqualTo(new DatabaseLocation.Connection(text));
    }

    @Test
    void aFileIsAClusterFileAndADirectoryADatabase() throws IOException {
        Path file = Files.writeString(directory.resolve("where"), "a:b@127.0.0.1:4500");

        assertThat(DatabaseLocation.of(file.toString())).isEqualTo(new DatabaseLocation.ClusterFile(file));
        assertThat(DatabaseLocation.of("/nowhere/fdb.cluster"))
                .isEqualTo(new DatabaseLocation.ClusterFile(Path.of("/nowhere/fdb.cluster")));
        assertThat(DatabaseLocation.of(directory.toString())).isEqualTo(new DatabaseLocation.Directory(directory));
        assertThat(DatabaseLocation.of("data/new")).isEqualTo(new DatabaseLocation.Directory(Path.of("data/new")));
    }

    @Test
    void theEnvironmentNamesAClusterFileOrNothing() {
        assertThat(DatabaseLocation.of(Map.of())).isEqualTo(new DatabaseLocation.InMemory());
        assertThat(DatabaseLocation.of(Map.of("FDB_CLUSTER_FILE", " "))).isEqualTo(new DatabaseLocation.InMemory());
        assertThat(DatabaseLocation.of(Map.of("FDB_CLUSTER_FILE", "/etc/here")))
                .isEqualTo(new DatabaseLocation.ClusterFile(Path.of("/etc/here")));
    }

    @Test
    void aConnectionStringHasItsForm() {
        assertThatThrownBy(() -> new DatabaseLocation.Connection("127.0.0.1:4500"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("description:id@127.0.0.1:4500");
    }
}
