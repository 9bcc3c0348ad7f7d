package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.testcontainers.shaded.com.github.dockerjava.core.command.CreateContainerCmdImpl;
import org.testcontainers.utility.DockerImageName;

/** What is asked of Docker; there is none here that could be asked. */
class FoundationDbContainerTest {
    private final PublicAddress address = new PublicAddress("127.0.0.1", 45123);

    @Test
    void serverIsPublishedAtThePortItListensOn() {
        Ports bindings = Objects.requireNonNull(command().getHostConfig()).getPortBindings();

        assertThat(bindings.getBindings()).containsOnlyKeys(ExposedPort.tcp(45123));
        assertThat(bindings.getBindings().get(ExposedPort.tcp(45123)))
                .containsExactly(Ports.Binding.bindIpAndPort("127.0.0.1", 45123));
        assertThat(command().getExposedPorts()).containsExactly(ExposedPort.tcp(45123));
    }

    @Test
    void serverIsToldWhereItIs() {
        assertThat(command().getEnv())
                .contains(
                        "SET=before",
                        "FDB_PUBLIC_IP=127.0.0.1",
                        "FDB_PORT=45123",
                        "FDB_CLUSTER_FILE_CONTENTS=test:container@127.0.0.1:45123");
    }

    @Test
    void everyAttemptHasAPortOfItsOwn() {
        try (FoundationDbContainer container = new FoundationDbContainer();
                CreateContainerCmd first = empty();
                CreateContainerCmd second = empty()) {
            container.publish(first, address);
            container.publish(second, new PublicAddress("127.0.0.1", 45124));

            assertThat(second.getExposedPorts()).containsExactly(ExposedPort.tcp(45124));
            assertThat(second.getEnv()).contains("FDB_PORT=45124").doesNotContain("FDB_PORT=45123");
        }
    }

    @Test
    void serverIsStartedByTheScript() {
        assertThat(command().getEntrypoint()).containsExactly("/usr/bin/tini", "-g", "--", "fdb-node");
        for (String script : FoundationDbContainer.SCRIPTS) {
            assertThat(FoundationDbContainer.class.getResource(script)).isNotNull();
        }
    }

    @Test
    void databaseIsConfiguredByTheScript() {
        try (FoundationDbContainer container = new FoundationDbContainer()) {
            assertThat(container.getEnvMap())
                    .containsEntry("FDB_CONFIGURATION", "single memory")
                    .containsKeys("FDB_DIRECTORY", "FDB_MACHINE");
        }
    }

    @Test
    void clusterFile_beforeTheStart_isAMistake() {
        try (FoundationDbContainer container = new FoundationDbContainer()) {
            assertThatIllegalStateException().isThrownBy(container::clusterFile).withMessageContaining("start()");
        }
    }

    @Test
    void anotherImage_isTakenIfItIsDeclaredASubstitute() {
        DockerImageName mirrored = DockerImageName.parse("registry.example/foundationdb:7.3.69");

        assertThatIllegalStateException().isThrownBy(() -> new FoundationDbContainer(mirrored));
        new FoundationDbContainer(mirrored.asCompatibleSubstituteFor("foundationdb/foundationdb")).close();
    }

    private CreateContainerCmd command() {
        try (FoundationDbContainer container = new FoundationDbContainer()) {
            CreateContainerCmd command = empty().withEnv("SET=before");
            container.publish(command, address);
            return command;
        }
    }

    private static CreateContainerCmd empty() {
        return new CreateContainerCmdImpl(
                command -> {
                    throw new AssertionError("Docker is asked");
                },
                null,
                FoundationDbContainer.IMAGE);
    }
}
