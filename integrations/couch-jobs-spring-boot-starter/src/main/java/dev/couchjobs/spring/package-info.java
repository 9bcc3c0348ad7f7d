/** couch-jobs in Spring Boot: what is on the class path is configured, and each bean can be replaced. */
@NullMarked
package dev.couchjobs.spring;

import org.jspecify.annotations.NullMarked;
