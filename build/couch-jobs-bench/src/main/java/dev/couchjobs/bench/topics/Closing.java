package dev.couchjobs.bench.topics;

import java.io.IOException;

/** Closes what may be interrupted meanwhile. */
final class Closing {
    private Closing() {}

    /** Closes in this order, also after an interruption, and stops at another failure. */
    static void closeAll(AutoCloseable... parts) throws IOException {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
