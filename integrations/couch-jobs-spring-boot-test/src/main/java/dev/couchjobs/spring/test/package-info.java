/** Tests of Spring Boot applications: see {@link dev.couchjobs.spring.test.CouchJobsTest}. */
@NullMarked
package dev.couchjobs.spring.test;

import org.jspecify.annotations.NullMarked;
