package dev.couchjobs.bridge.internal.couch;

import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What proves to a server who asks. */
interface Session {
    /** A header of a request. */
    record Proof(String name, String value) {}

    /** {@return what to send along; fails with a fault that may pass if it cannot be had now} */
    CompletableFuture<Optional<Proof>> proof();

    /** {@return whether there can be another proof than this one, which a server did not accept} */
    boolean renew(Optional<Proof> refused);

    /** Looks into an answer for a newer proof. */
    void see(HttpHeaders headers);

    /** {@return a session that always shows the same} */
    static Session constant(Optional<Proof> proof) {
        return new Session() {
            @Override
            public CompletableFuture<Optional<Proof>> proof() {
                return CompletableFuture.completedFuture(proof);
            }

            @Override
            public boolean renew(Optional<Proof> refused) {
                return false;
            }

            @Override
            public void see(HttpHeaders headers) {}
        };
    }
}
