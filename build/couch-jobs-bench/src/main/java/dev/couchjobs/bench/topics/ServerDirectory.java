package dev.couchjobs.bench.topics;

import dev.couchjobs.bench.DirectoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The new directory of a server. Closing it deletes it. */
record ServerDirectory(Path path) implements AutoCloseable {
    private static final int TRIES = 50;
    private static final int MILLIS_APART = 100;

    static ServerDirectory create(Path parent, String name) throws IOException {
        return new ServerDirectory(Files.createTempDirectory(parent, name).toAbsolutePath());
    }

    /**
     * Creates a directory in which the file system syncs each write before the write returns, also in files that are
     * created below it: so a server is durable that never asks for a sync.
     *
     * @throws IOException if the file system cannot
     */
    static ServerDirectory createSynced(Path parent, String name) throws IOException, InterruptedException {
        ServerDirectory created = create(parent, name);
        Process process = new ProcessBuilder("chattr", "+S", created.path.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            created.close();
            throw new IOException("chattr +S fails here");
        }
        return created;
    }

    /** Whether there is a file system here that syncs each write when it is told to. */
    static boolean canSync(Path parent) throws InterruptedException {
        try (ServerDirectory tried = createSynced(parent, "try-")) {
            return Files.exists(tried.path);
        } catch (IOException e) {
            return false;
        }
    }

    /** A server that ends may still write files. */
    @Override
    public void close() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                DirectoryFiles.delete(path);
                return;
            } catch (IOException e) {
                if (attempt == TRIES) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(MILLIS_APART);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
