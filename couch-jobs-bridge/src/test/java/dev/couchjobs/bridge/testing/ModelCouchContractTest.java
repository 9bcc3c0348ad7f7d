package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.CouchContract;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.CouchFixture;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;

/** The model meets the contract of databases, without faults and with those that the contract permits. */
class ModelCouchContractTest {

    @Nested
    class Calm extends CouchContract {
        @Override
        protected CouchFixture fixture() {
            return new ModelFixture(CouchFaultWeights.none());
        }
    }

    /** With all faults that the contract permits: answers are not lost, and changes are not repeated. */
    @Nested
    class Rough extends CouchContract {
        @Override
        protected CouchFixture fixture() {
            return new ModelFixture(CouchFaultWeights.none()
                    .with(CouchFault.SLOW_REQUEST, 0.3)
                    .with(CouchFault.SLOW_REPLY, 0.3)
                    .with(CouchFault.BUSY, 0.3)
                    .with(CouchFault.BROKEN_FEED, 0.3)
                    .with(CouchFault.SLOW_REPLICATION, 0.3)
                    .with(CouchFault.PARTIAL_REPLICATION, 0.3)
                    .with(CouchFault.CUT, 0.2));
        }
    }

    /** Places databases on two servers in turn. */
    private static final class ModelFixture implements CouchFixture {
        private static final int SERVERS = 2;
        private static final long SEED = 5;

        private final VirtualScheduler time = new VirtualScheduler();
        private final ModelCouch couch;
        private int places;

        ModelFixture(CouchFaultWeights weights) {
            couch = new ModelCouch(time, SEED, weights, line -> {});
        }

        @Override
        public Place place() {
            int number = places++;
            ModelServer server = couch.server("couch-" + number % SERVERS);
            return new ModelPlace(new Endpoint(server, "database-" + number));
        }

        @Override
        public void replicate(Place source, Place target) {
            couch.replicate(((ModelPlace) source).endpoint, ((ModelPlace) target).endpoint);
        }

        @Override
        public <T> T await(CompletableFuture<T> future) {
            return time.await(future);
        }

        @Override
        public void close() {
            couch.calm();
        }

        private final class ModelPlace implements Place {
            private final Endpoint endpoint;

            ModelPlace(Endpoint endpoint) {
                this.endpoint = endpoint;
            }

            @Override
            public void create() {
                endpoint.server().database(endpoint.name());
            }

            @Override
            public CouchDatabase connect() {
                return couch.connect(endpoint.server(), endpoint.name(), time);
            }

            @Override
            public void interrupt() {
                endpoint.server().stop();
            }

            @Override
            public void resume() {
                endpoint.server().start();
            }
        }
    }
}
