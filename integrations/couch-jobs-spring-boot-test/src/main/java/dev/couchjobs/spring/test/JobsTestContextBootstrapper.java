package dev.couchjobs.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Finds the properties of {@link CouchJobsTest}. */
final class JobsTestContextBootstrapper extends TestSliceTestContextBootstrapper<CouchJobsTest> {}
