package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.views.JacksonCodec;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;

/** What can become of a job that runs. */
public enum Fate {
    SUCCEEDS,
    FAILS,
    IS_CANCELLED,
    IS_REMOVED;

    /** Brings fate to jobs. */
    public static final class Hand {
        private final CouchJobs jobs;
        private final FinishTransaction finishTransaction;

        /**
         * For the jobs in a subspace.
         *
         * @param jobs an instance on them
         * @param database where they are
         * @param environment clock, timers and randomness
         * @param prefix the subspace
         */
        public Hand(CouchJobs jobs, Database database, Environment environment, Subspace prefix) {
            this.jobs = jobs;
            Keyspace keyspace = new Keyspace(prefix);
            finishTransaction = new FinishTransaction(new Instance(
                    "hand",
                    database,
                    environment,
                    new AgreedClock(environment.clock()),
                    keyspace,
                    new Transactions(
                            environment, keyspace, Duration.ofSeconds(60), TransactionLabel.tagged("hand", false)),
                    new PayloadCodec(new JacksonCodec(JsonMapper.shared()))));
        }

        /**
         * Has a running job meet its fate.
         *
         * @param context a database, or a transaction to join
         * @param job the claim on it
         * @param fate what becomes of it
         * @return when it is done
         */
        public CompletableFuture<?> deal(TransactionContext context, Job<?> job, Fate fate) {
            return switch (fate) {
                case SUCCEEDS -> end(context, job, new Disposition.Succeeded(Optional.empty()));
                case FAILS -> end(context, job, new Disposition.Failed("boom", false));
                case IS_CANCELLED -> end(context, job, new Disposition.Cancelled("not needed"));
                case IS_REMOVED -> jobs.remove(context, job.type(), job.id());
            };
        }

        private CompletableFuture<?> end(TransactionContext context, Job<?> job, Disposition disposition) {
            return finishTransaction.end(context, new FinishTransaction.FinishRequest(job, disposition));
        }
    }
}
