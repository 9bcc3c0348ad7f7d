package dev.couchjobs.bench.topics;

import java.io.IOException;

/** A system that keeps logs of messages. Closing it stops its server, if it has started one. */
interface LogSystem extends AutoCloseable {
    /** The versions and settings. */
    String settings();

    /** Creates an empty log. */
    MessageLog create(int partitions) throws Exception;

    @Override
    void close() throws IOException;
}
