@NullMarked
package dev.couchjobs.bench.profile;

import org.jspecify.annotations.NullMarked;
