package dev.couchjobs.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of the beans with job methods, and of no other part of an application: without a web server, and with the
 * jobs in memory.
 *
 * <pre>{@code
 * @CouchJobsTest
 * class MailsTest {
 *     @Autowired JobsTestKit kit;
 *     @Autowired MailsJobs mails;
 *
 *     @Test
 *     void aMailIsSent() {
 *         mails.welcome(kit.database(), "w-1", new Welcome("ann")).join();
 *         kit.runDue();
 *         assertThat(kit.result(MailsJobs.WELCOME, "w-1")).isEqualTo(new Receipt("sent to ann"));
 *     }
 * }
 * }</pre>
 *
 * <p>Components that are scanned are left out, but for those with job methods, {@link
 * dev.couchjobs.spring.CouchJobsCustomizer}, {@link dev.couchjobs.spring.WorkerCustomizer}, {@link
 * dev.couchjobs.JobsListener} and {@link dev.couchjobs.JobMiddleware}. What their beans need is imported by the test,
 * or replaced by {@code @MockitoBean}. The worker runs jobs only when the test calls the {@link
 * dev.couchjobs.testing.JobsTestKit}; with {@code properties = "couch-jobs.worker.enabled=false"} there is none.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(JobsTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(JobsTypeExcludeFilter.class)
@AutoConfigureJobsTestKit
public @interface CouchJobsTest {
    /**
     * Properties of the context.
     *
     * @return each as {@code name=value}
     */
    String[] properties() default {};

    /**
     * Whether the components above are in the context; the filters may add others.
     *
     * @return whether they are
     */
    boolean useDefaultFilters() default true;

    /**
     * Further components.
     *
     * @return filters of what is in the context
     */
    ComponentScan.Filter[] includeFilters() default {};

    /**
     * Components to leave out.
     *
     * @return filters of what is not in the context
     */
    ComponentScan.Filter[] excludeFilters() default {};

    /**
     * Auto-configurations to leave out.
     *
     * @return their classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
