/* The only list of solver methods. A method is one file, named after it. */
#ifndef SOLVER_METHODS_METHOD_LIST_H
#define SOLVER_METHODS_METHOD_LIST_H

/* X(method, METHOD): DRY_SOLVER_<METHOD> is described by dry_method_<method>, in <method>.c. */
#define DRY_METHODS(X)                                                                                       \
    X(gauss_seidel, GAUSS_SEIDEL)                                                                            \
    X(jacobi, JACOBI)                                                                                        \
    X(pbd, PBD)                                                                                              \
    X(xpbd, XPBD)                                                                                            \
    X(avbd, AVBD)

#endif
