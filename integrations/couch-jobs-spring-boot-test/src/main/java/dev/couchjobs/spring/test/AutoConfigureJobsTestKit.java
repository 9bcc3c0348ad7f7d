package dev.couchjobs.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.annotation.DirtiesContext;

/**
 * Replaces the database, the jobs and the worker of an application by those of a {@link
 * dev.couchjobs.testing.JobsTestKit}, which is a bean. {@link CouchJobsTest} has it. Beside {@code @SpringBootTest} it
 * is for tests that make no requests to a web server: the kit is for the thread of the test.
 *
 * <p>Each test gets a context of its own, and so an empty database. With {@code @DirtiesContext(classMode =
 * AFTER_CLASS)} the tests of a class share one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@DirtiesContext(classMode = DirtiesContext.ClassMode.AFTER_EACH_TEST_METHOD)
public @interface AutoConfigureJobsTestKit {}
