/** The models of the rows and their transactions, checked by Alloy. */
@NullMarked
package dev.couchjobs.model;

import org.jspecify.annotations.NullMarked;
