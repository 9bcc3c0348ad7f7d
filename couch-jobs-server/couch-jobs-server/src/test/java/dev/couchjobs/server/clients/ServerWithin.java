package dev.couchjobs.server.clients;

import dev.couchjobs.server.HaltingPlan;
import dev.couchjobs.server.HaltingServer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A server within this process, which takes a tenth of the work of a process. A kill cuts it off from its database and
 * its clients. The tests of the engine show what the kill of a process leaves in its files.
 */
final class ServerWithin extends KillableServer {
    private final Path directory;
    private HaltingPlan plan = HaltingPlan.within(Integer.MAX_VALUE, true);
    private @Nullable HaltingServer server;

    ServerWithin(Path directory) {
        this.directory = directory;
    }

    @Override
    void startHalting(int fatal, boolean takesEffect) {
        plan = HaltingPlan.within(fatal, takesEffect);
        server = new HaltingServer(directory, address().getPort(), plan);
    }

    @Override
    boolean isHalted() {
        return plan.isDead();
    }

    @Override
    HttpResponse<byte[]> exchange(HttpRequest request) throws IOException {
        CompletableFuture<HttpResponse<byte[]>> reply =
                CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            CompletableFuture.anyOf(reply, plan.death()).join();
            if (isHalted()) {
                throw new IOException("killed: what it says now is not heard");
            }
            return reply.join();
        } catch (CompletionException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
