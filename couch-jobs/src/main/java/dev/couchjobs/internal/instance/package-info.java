/** The objects that all parts of one instance share. Not for users. */
@NullMarked
package dev.couchjobs.internal.instance;

import org.jspecify.annotations.NullMarked;
