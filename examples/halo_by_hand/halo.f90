! The application of halo.c in Fortran: the same messages, packed by hand, and the same checksum.
!
!     mpifort -O3 -o halo_f halo.f90 && mpirun -np 2 ./halo_f [STEPS [SIZE]]
module halo
    use mpi
    implicit none
    integer, parameter :: fields = 5, probes = 64, most = 4096
    type particle
        sequence
        double precision :: position(3), velocity(3), weight
        integer :: cell, species
    end type
    integer :: me, all, below, above

contains

    ! The first and the last own layer in y go to the neighbours' ghost layers.
    subroutine exchange_faces(cells, nx, ny, nz, out, in)
        integer, intent(in) :: nx, ny, nz
        double precision :: cells(fields, nx, 0:ny + 1, nz), out(*), in(*)
        integer :: way, mine, theirs, f, x, z, n, request, ierror

        do way = 1, 2
            mine = merge(1, ny, way == 1)
            theirs = merge(ny + 1, 0, way == 1)
            call MPI_Irecv(in, fields*nx*nz, MPI_DOUBLE_PRECISION, merge(above, below, way == 1), way, &
                           MPI_COMM_WORLD, request, ierror)
            n = 0
            do z = 1, nz
                do x = 1, nx
                    do f = 1, fields
                        n = n + 1
                        out(n) = cells(f, x, mine, z)
                    end do
                end do
            end do
            call MPI_Send(out, n, MPI_DOUBLE_PRECISION, merge(below, above, way == 1), way, &
                          MPI_COMM_WORLD, ierror)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
            n = 0
            do z = 1, nz
                do x = 1, nx
                    do f = 1, fields
                        n = n + 1
                        cells(f, x, theirs, z) = in(n)
                    end do
                end do
            end do
        end do
    end subroutine

    ! One field of the plane x = 1, which a neighbour adds up.
    double precision function exchange_plane(cells, nx, ny, nz, out, in)
        integer, intent(in) :: nx, ny, nz
        double precision :: cells(fields, nx, 0:ny + 1, nz), out(*), in(*)
        integer :: y, z, n, request, ierror

        call MPI_Irecv(in, ny*nz, MPI_DOUBLE_PRECISION, above, 3, MPI_COMM_WORLD, request, ierror)
        n = 0
        do z = 1, nz
            do y = 1, ny
                n = n + 1
                out(n) = cells(1, 1, y, z)
            end do
        end do
        call MPI_Send(out, n, MPI_DOUBLE_PRECISION, below, 3, MPI_COMM_WORLD, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        exchange_plane = 0
        do n = 1, ny*nz
            exchange_plane = exchange_plane + in(n)
        end do
    end function

    ! Positions and velocities: six of the nine members.
    subroutine exchange_particles(mine, theirs, n, out, in)
        integer, intent(in) :: n
        type(particle) :: mine(n), theirs(n)
        double precision :: out(*), in(*)
        integer :: i, d, k, request, ierror

        call MPI_Irecv(in, 6*n, MPI_DOUBLE_PRECISION, below, 4, MPI_COMM_WORLD, request, ierror)
        k = 0
        do i = 1, n
            do d = 1, 3
                k = k + 1
                out(k) = mine(i)%position(d)
            end do
            do d = 1, 3
                k = k + 1
                out(k) = mine(i)%velocity(d)
            end do
        end do
        call MPI_Send(out, k, MPI_DOUBLE_PRECISION, above, 4, MPI_COMM_WORLD, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        do i = 1, n
            do d = 1, 3
                theirs(i)%position(d) = in(6*(i - 1) + d)
                theirs(i)%velocity(d) = in(6*(i - 1) + 3 + d)
            end do
        end do
    end subroutine

    ! The cells of a list of places, which stays the same from step to step.
    subroutine exchange_probes(cells, places, out, theirs)
        double precision :: cells(0:*), out(*), theirs(*)
        integer, intent(in) :: places(probes)
        integer :: i, request, ierror

        call MPI_Irecv(theirs, probes, MPI_DOUBLE_PRECISION, above, 5, MPI_COMM_WORLD, request, ierror)
        do i = 1, probes
            out(i) = cells(places(i))
        end do
        call MPI_Send(out, probes, MPI_DOUBLE_PRECISION, below, 5, MPI_COMM_WORLD, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    end subroutine

    subroutine compute(cells, nx, ny, nz)
        integer, intent(in) :: nx, ny, nz
        double precision :: cells(fields, nx, 0:ny + 1, nz)
        integer :: x, y, z

        do z = 1, nz
            do y = 1, ny
                do x = 1, nx
                    cells(:, x, y, z) = 0.5d0*cells(:, x, y, z) + &
                                        0.25d0*(cells(:, x, y - 1, z) + cells(:, x, y + 1, z))
                end do
            end do
        end do
    end subroutine

    integer function argument(number, default)
        integer, intent(in) :: number, default
        character(32) :: text
        integer :: status

        argument = default
        if (command_argument_count() >= number) then
            call get_command_argument(number, text)
            read (text, *, iostat=status) argument
            if (status /= 0) argument = 0
        end if
    end function
end module

program main
    use halo
    implicit none
    double precision, allocatable :: cells(:), out(:), in(:)
    type(particle), allocatable :: mine(:), theirs(:)
    double precision :: from_probes(probes), start, time, total, totals, slowest
    integer :: places(probes), steps, side, row, n, i, d, step, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, all, ierror)
    below = mod(me + all - 1, all)
    above = mod(me + 1, all)
    steps = argument(1, 100)
    side = argument(2, 32)
    n = 4*side
    row = fields*side
    if (steps < 1 .or. side < 4 .or. n > most) then
        if (me == 0) print '(a,i0)', 'Usage: halo_f [STEPS [SIZE]], STEPS from 1, SIZE from 4 to ', most/4
        call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
    end if
    allocate (cells(0:side*(side + 2)*row - 1), out(side*row), in(side*row), mine(n), theirs(n))
    do i = 0, size(cells) - 1
        cells(i) = mod(i*7 + me*13, 101)
    end do
    do i = 1, n
        do d = 1, 3
            mine(i)%position(d) = i - 1 + 0.1d0*(d - 1) + me
            mine(i)%velocity(d) = i - 1 - 0.2d0*(d - 1) - me - 0.5d0
            theirs(i)%position(d) = 0
            theirs(i)%velocity(d) = 0
        end do
    end do
    do i = 0, probes - 1
        places(i + 1) = mod(i*i*31 + 5*i, side*row)
    end do

    time = 0
    total = 0
    do step = 1, steps
        start = MPI_Wtime()
        call exchange_faces(cells, side, side, side, out, in)
        total = total + exchange_plane(cells, side, side, side, out, in)
        call exchange_particles(mine, theirs, n, out, in)
        call exchange_probes(cells, places, out, from_probes)
        time = time + (MPI_Wtime() - start)
        total = total + sum(from_probes)
        do i = 1, n
            mine(i)%position(1) = mine(i)%position(1) + 0.01d0*theirs(i)%velocity(1)
        end do
        call compute(cells, side, side, side)
    end do
    do i = 0, size(cells) - 1
        total = total + cells(i)*(1 + mod(i, 17))
    end do
    do i = 1, n
        total = total + theirs(i)%position(1) + 2*theirs(i)%velocity(3)
    end do
    call MPI_Reduce(total, totals, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    call MPI_Reduce(time, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
    if (me == 0) print '(a,g0/f0.3,a)', 'checksum ', totals, 1d6*slowest/steps, ' us a step for messages'
    call MPI_Finalize(ierror)
end program
