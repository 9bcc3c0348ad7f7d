package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublicAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "::1"})
    void dockerOnThisMachine_isReachedByItAlone(String host) throws UnknownHostException {
        PublicAddress address = new PublicAddress(PublicAddress.ip(host), 45123);

        assertThat(address.clusterFile()).isEqualTo("test:container@127.0.0.1:45123");
        assertThat(address.publication()).isEqualTo("127.0.0.1:45123:45123");
    }

    @Test
    void dockerOnAnotherMachine_isReachedFromThere() throws UnknownHostException {
        PublicAddress address = new PublicAddress(PublicAddress.ip("192.0.2.7"), 45123);

        assertThat(address.clusterFile()).isEqualTo("test:container@192.0.2.7:45123");
        assertThat(address.publication()).isEqualTo("45123:45123");
    }

    @Test
    void chosenPort_isOneThatCanBeTaken() {
        PublicAddress address = PublicAddress.choose("localhost");

        assertThat(address.ip()).isEqualTo("127.0.0.1");
        assertThat(address.port()).isBetween(1024, 65535);
    }
}
