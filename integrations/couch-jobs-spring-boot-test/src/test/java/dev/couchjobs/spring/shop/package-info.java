/** An application, and its tests. */
@NullMarked
package dev.couchjobs.spring.shop;

import org.jspecify.annotations.NullMarked;
