! What looks like a packing loop in Fortran and is none, or none that is certain.
module traps
    use mpi
    implicit none
    double precision :: a(12, 16), total
    double precision, pointer :: window(:, :)
    integer :: n, m, step

contains

    ! perhaps not contiguous
    subroutine assumed_shape(b, peer)
        integer, intent(in) :: peer
        double precision, intent(in) :: b(:, :)
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = b(i, 1)
        end do
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    subroutine through_a_pointer(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = window(i, 1)
        end do
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    subroutine computed(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = 2*a(i, 1)
        end do
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused 54
    end subroutine

    subroutine converted(peer)
        integer, intent(in) :: peer
        real :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = real(a(i, 1))
        end do
        call MPI_Send(buffer, n, MPI_REAL, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    ! a module's procedure may change a module's array
    subroutine changed_by_call(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = a(i, 1)
        end do
        call scale()
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused 50
    end subroutine

    subroutine scale()
        a = 2*a
    end subroutine

    ! an internal procedure changes the variable of its host
    subroutine changed_by_internal(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, count, ierror

        count = n
        do i = 1, count
            buffer(i) = a(i, 1)
        end do
        call more()
        call MPI_Send(buffer, count, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    contains
        subroutine more()
            count = count - 1
        end subroutine
    end subroutine

    ! an element as an argument hands on all behind it
    subroutine sequence_association(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12), copy(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = copy(i)
        end do
        call fill(copy(1))
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    subroutine fill(c)
        double precision :: c(*)
        c(1:12) = 0
    end subroutine

    ! WHERE and FORALL are not understood
    subroutine masked(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: ierror

        where (a(:, 1) > 0) buffer = a(:, 1) ! refused 63
        call MPI_Send(buffer, 12, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror)
    end subroutine

    ! CYCLE of the outer loop: the compiler's text does not say of which
    subroutine outer_cycle(peer)
        integer, intent(in) :: peer
        double precision :: buffer(200)
        integer :: i, j, p, ierror

        p = 0
        outer: do i = 1, 12
            do j = 1, 16
                if (j > step) cycle outer ! refused 63
                p = p + 1
                buffer(p) = a(i, j)
            end do
        end do outer
        call MPI_Send(buffer, p, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror)
    end subroutine

    ! the bound is changed before the array is used: its extent is that of the entry, b_n1 in the answer
    subroutine changed_extent(b, k, peer)
        integer :: k
        integer, intent(in) :: peer
        double precision, intent(in) :: b(k, 16)
        double precision :: buffer(16)
        integer :: j, ierror

        k = k - 1
        do j = 1, 16
            buffer(j) = b(1, j)
        end do
        call MPI_Send(buffer, 16, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! decided
    end subroutine

    ! more than unpacking reads the buffer
    subroutine summed(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        call MPI_Recv(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! refused 52
        do i = 1, n
            a(i, 1) = buffer(i)
        end do
        total = sum(buffer(1:n))
    end subroutine

    subroutine handed_on(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        call MPI_Recv(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! refused 52
        do i = 1, n
            a(i, 1) = buffer(i)
        end do
        call fill(buffer)
    end subroutine

    ! of one name with the elements, but of another size
    subroutine wrong_datatype(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = a(i, 1)
        end do
        call MPI_Send(buffer, n, MPI_REAL, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    subroutine wrong_count(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12)
        integer :: i, ierror

        do i = 1, n - 1
            buffer(i) = a(1, i)
        end do
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused 6
    end subroutine

    subroutine equivalenced(peer)
        integer, intent(in) :: peer
        double precision :: buffer(12), other(12), same(12)
        equivalence (other, same)
        integer :: i, ierror

        do i = 1, n
            buffer(i) = other(i)
        end do
        same(2) = 1
        call MPI_Send(buffer, n, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine

    ! the right side is read before the left is written
    subroutine shifted(peer)
        integer, intent(in) :: peer
        double precision :: buffer(13)
        integer :: i, ierror

        do i = 1, 12
            buffer(i) = a(i, 1)
        end do
        buffer(2:13) = buffer(1:12)
        call MPI_Send(buffer, 13, MPI_DOUBLE_PRECISION, peer, 1, MPI_COMM_WORLD, ierror) ! refused any
    end subroutine
end module
