package dev.couchjobs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Runs a method in a transaction of the database of the jobs, which {@link CurrentTransaction} hands to verbs. It
 * commits when the method returns, and is rolled back if the method throws, also a checked exception. A transaction of
 * FoundationDB lasts five seconds at most.
 *
 * <p>After a conflict with another transaction the whole method is called again, with the same arguments, after a short
 * random pause: at most {@link #tries} calls in all. Whatever else the method does is repeated with it. If the last try
 * conflicts, too, the caller gets a {@link org.springframework.dao.ConcurrencyFailureException}. A method that has
 * joined the transaction of its caller is not repeated: the caller's method is. A result that is unknown is a {@link
 * org.springframework.transaction.TransactionSystemException}, and the method is not repeated.
 *
 * <p>In the method, on its thread, a verb that writes and is given the {@link com.apple.foundationdb.Database} throws
 * {@link dev.couchjobs.TransactionBypassedException}, as it would commit even if the method is rolled back. So do all
 * methods that it calls, unless they have no transaction ({@link Propagation#NOT_SUPPORTED}).
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Transactional(transactionManager = JobsTransactional.MANAGER, rollbackFor = Throwable.class)
public @interface JobsTransactional {
    /** The name of the bean that opens the transactions. */
    String MANAGER = "couchJobsTransactionManager";

    /** The value of {@link #tries} that stands for the property {@code couch-jobs.transactions.tries}. */
    int AS_CONFIGURED = 0;

    /**
     * How often the method is called at most while its transaction conflicts with others.
     *
     * @return at least 1, which means that the method is not repeated; by default the property {@code
     *     couch-jobs.transactions.tries}, which is 5
     */
    int tries() default AS_CONFIGURED;

    /**
     * What the method does if its caller has a transaction.
     *
     * @return by default it joins the transaction
     */
    @AliasFor(annotation = Transactional.class)
    Propagation propagation() default Propagation.REQUIRED;
}
