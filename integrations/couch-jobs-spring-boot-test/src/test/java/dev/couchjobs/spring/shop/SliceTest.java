package dev.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.spring.CurrentTransaction;
import dev.couchjobs.spring.JobsTransactional;
import dev.couchjobs.spring.WorkerLifecycle;
import dev.couchjobs.spring.shop.Orders.Order;
import dev.couchjobs.spring.test.CouchJobsTest;
import dev.couchjobs.testing.JobsTestKit;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.context.WebApplicationContext;

@CouchJobsTest
@Timeout(240)
class SliceTest {
    @Autowired
    JobsTestKit kit;

    @Autowired
    OrdersJobs orders;

    @Autowired
    Trail trail;

    @Autowired
    ApplicationContext context;

    /** Whatever another test has added. */
    @BeforeEach
    void theDatabaseIsEmpty() {
        kit.assertNothingEnqueued(OrdersJobs.SHIP);
    }

    private void order(String article) {
        orders.ship(kit.database(), "o-1", new Order(article)).join();
    }

    @Test
    void aJobRunsWhenTheTestSaysSo() {
        order("book");
        kit.assertEnqueued(OrdersJobs.SHIP, new Order("book"));
        assertThat(trail.begun).isEmpty();

        kit.runDue();

        assertThat(kit.result(OrdersJobs.SHIP, "o-1")).isEqualTo("book has left");
        assertThat(trail.begun).containsExactly("o-1");
    }

    @Test
    void aFailedJobRunsAgainWhenTimeHasPassed() {
        order("rare");
        kit.runDue();
        assertThat(trail.begun).hasSize(1);

        kit.advance(Duration.ofMinutes(1));

        assertThat(kit.result(OrdersJobs.SHIP, "o-1")).isEqualTo("rare has left");
        assertThat(trail.begun).hasSize(2);
    }

    @Test
    void theKitHasTheDatabaseAndTheJobsOfTheContext() {
        assertThat(context.getBean(Database.class)).isSameAs(kit.database());
        assertThat(context.getBean(CouchJobs.class)).isSameAs(kit.jobs());
    }

    @Test
    void otherPartsOfTheApplicationAreNotThere() {
        assertThat(context).isNotInstanceOf(WebApplicationContext.class);
        assertThat(context.getBeanNamesForType(Warehouse.class)).isEmpty();
        assertThat(context.getBeanNamesForType(WorkerLifecycle.class)).isEmpty();
    }

    @Test
    void aTransactionOfAMethodTakesJobsAlong() {
        PlatformTransactionManager manager =
                context.getBean(JobsTransactional.MANAGER, PlatformTransactionManager.class);
        CurrentTransaction current = context.getBean(CurrentTransaction.class);
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            orders.ship(current.context(), "o-1", new Order("book")).join();
            status.setRollbackOnly();
        });

        kit.assertNothingEnqueued(OrdersJobs.SHIP);
    }
}
