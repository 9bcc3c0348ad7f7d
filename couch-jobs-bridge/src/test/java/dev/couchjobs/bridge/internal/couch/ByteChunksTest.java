package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class ByteChunksTest {

    @Test
    void whatWasWrittenIsReadAsOftenAsOneLikes() {
        Samples.check(100, samples -> {
            int writes = samples.between(0, 200);
            Random random = new Random(samples.anyLong());
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            ByteChunks byteChunks = new ByteChunks();
            for (int i = 0; i < writes; i++) {
                byte[] bytes = new byte[random.nextInt(random.nextInt(20) == 0 ? 200_000 : 3_000)];
                random.nextBytes(bytes);
                expected.writeBytes(bytes);
                if (random.nextBoolean()) {
                    byteChunks.write(bytes, 0, bytes.length);
                } else {
                    byteChunks.take(ByteBuffer.wrap(bytes).asReadOnlyBuffer());
                }
                byteChunks.write(i);
                expected.write(i);
            }
            assertThat(byteChunks.size()).isEqualTo(expected.size());
            assertThat(byteChunks.publisher().contentLength()).isEqualTo(expected.size());
            for (int i = 0; i < 2; i++) {
                assertThat(read(byteChunks)).isEqualTo(expected.toByteArray());
                assertThat(sent(byteChunks.publisher())).isEqualTo(expected.toByteArray());
            }
        });
    }

    private static byte[] read(ByteChunks byteChunks) {
        try (InputStream bytes = byteChunks.read()) {
            return bytes.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] sent(BodyPublisher publisher) {
        BodySubscriber<byte[]> received = BodySubscribers.ofByteArray();
        publisher.subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                received.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer bytes) {
                received.onNext(List.of(bytes));
            }

            @Override
            public void onError(Throwable thrown) {
                received.onError(thrown);
            }

            @Override
            public void onComplete() {
                received.onComplete();
            }
        });
        return received.getBody().toCompletableFuture().join();
    }

    @Test
    void nothingIsSentAsNothing() {
        assertThat(new ByteChunks().publisher().contentLength()).isZero();
    }
}
