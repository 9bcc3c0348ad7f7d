package dev.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.transaction.annotation.Transactional;

/**
 * Runs a method in a transaction of the database of the jobs, which {@link CurrentTransaction} hands to verbs. It
 * commits when the method returns, and is dropped if the method throws.
 *
 * <p>The method is not repeated by itself. A conflict is a {@link
 * org.springframework.dao.ConcurrencyFailureException}, on which Spring's {@code @Retryable} may call the method again;
 * a result that is unknown is a {@link org.springframework.transaction.TransactionSystemException}. A transaction of
 * FoundationDB lasts five seconds at most.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Transactional(transactionManager = JobsTransactional.MANAGER)
public @interface JobsTransactional {
    /** The name of the bean that opens the transactions. */
    String MANAGER = "couchJobsTransactionManager";
}
