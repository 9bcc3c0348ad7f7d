package dev.couchjobs.bridge.internal.couch;

import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Authenticates requests to a server. */
interface Session {
    /** A header of a request. */
    record Proof(String name, String value) {}

    /** {@return the header to send; fails with a transient fault if it is not available} */
    CompletableFuture<Optional<Proof>> proof();

    /** {@return whether another proof can replace the one that the server has refused} */
    boolean renew(Optional<Proof> refused);

    /** Reads a newer proof from an answer. */
    void see(HttpHeaders headers);

    /** {@return a session with a constant proof} */
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
