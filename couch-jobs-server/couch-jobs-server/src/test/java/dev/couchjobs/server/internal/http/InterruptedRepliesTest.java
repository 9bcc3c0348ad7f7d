package dev.couchjobs.server.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A reply that is written in parts ends when it is interrupted, at whatever moment: a server waits for it to end. */
class InterruptedRepliesTest {
    private static final Reply CLOSING = Reply.empty(503);

    private final AtomicInteger completed = new AtomicInteger();
    private final Body body = new Body();

    private enum Moment {
        BEFORE_THE_REPLY,
        BEFORE_THE_BODY_OF_THE_REQUEST_IS_READ,
        WHILE_THE_SOURCE_BEGINS,
        AFTERWARDS
    }

    /** A body of a request that arrives later. */
    private static final class Body extends ServletInputStream {
        private @Nullable ReadListener listener;
        private boolean hasArrived;

        void arrive() throws IOException {
            hasArrived = true;
            Objects.requireNonNull(listener).onAllDataRead();
        }

        @Override
        public boolean isFinished() {
            return hasArrived;
        }

        @Override
        public boolean isReady() {
            return hasArrived;
        }

        @Override
        public void setReadListener(ReadListener newListener) {
            listener = newListener;
        }

        @Override
        public int read() {
            return -1;
        }
    }

    /** A client that takes what it is sent. */
    private static final class Sink extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {}

        @Override
        public void write(int each) {}
    }

    @SuppressWarnings("unchecked") // what a proxy is
    private static <T> T fake(Class<T> type, Map<String, Object> answers) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            Object answer = answers.get(method.getName());
            return answer instanceof Runnable action ? run(action) : answer;
        });
    }

    private static @Nullable Object run(Runnable action) {
        action.run();
        return null;
    }

    private Exchange exchange(boolean hasBody) {
        HttpServletResponse response = fake(HttpServletResponse.class, Map.of("getOutputStream", new Sink()));
        AsyncContext async = fake(
                AsyncContext.class, Map.of("getResponse", response, "complete", (Runnable) completed::incrementAndGet));
        HttpServletRequest request = fake(
                HttpServletRequest.class,
                Map.of(
                        "getMethod",
                        "GET",
                        "startAsync",
                        async,
                        "getHeaders",
                        Collections.emptyEnumeration(),
                        "getInputStream",
                        body,
                        "getContentLengthLong",
                        hasBody ? 5L : 0L));
        return Exchange.begin(request, response, Duration.ofMinutes(1), new Memory());
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void theReplyEnds(Moment moment) throws IOException {
        boolean isLate = moment == Moment.BEFORE_THE_BODY_OF_THE_REQUEST_IS_READ;
        Exchange exchange = exchange(isLate);
        if (moment == Moment.BEFORE_THE_REPLY) {
            exchange.interrupt(CLOSING);
        }
        exchange.end(Reply.stream("text/plain", stream -> {
            if (moment == Moment.WHILE_THE_SOURCE_BEGINS) {
                exchange.interrupt(CLOSING);
            }
        }));
        if (isLate) {
            assertThat(exchange.replied()).as("a reply that has not begun").isNotDone();
            exchange.interrupt(CLOSING);
            body.arrive();
        }
        if (moment == Moment.AFTERWARDS) {
            assertThat(completed).hasValue(0);
            exchange.interrupt(CLOSING);
        }

        assertThat(completed).hasValue(1);
        assertThat(exchange.replied()).isDone();
    }
}
